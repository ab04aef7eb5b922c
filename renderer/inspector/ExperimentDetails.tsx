/** An experiment that has not run yet: its declarations. */

import type { Experiment } from '../../core/experiment/experiment.ts';
import { bufferBytes } from '../../core/experiment/resources.ts';
import { formatBytes } from '../../core/units.ts';
import { Block, Fact, Facts } from './Facts.tsx';
import classes from './Inspector.module.css';

const mostListed = 50;

export function ExperimentDetails({ experiment }: { readonly experiment: Experiment }) {
  const { buffers, streams, environment } = experiment;
  return (
    <>
      <div className={classes['heading']}>
        <div>
          <small>Experiment</small>
          <h2>{experiment.name}</h2>
        </div>
      </div>
      <Block title="Environment">
        <Facts>
          <Fact name="Default stream">{environment.defaultStream}</Fact>
          <Fact name="Iterations">{environment.iterations}</Fact>
          <Fact name="Warm-ups">{environment.warmups}</Fact>
        </Facts>
      </Block>
      <Block title="Buffers">
        <Facts>
          {buffers.slice(0, mostListed).map((buffer) => (
            <Fact key={buffer.id} name={buffer.id}>
              {buffer.memory}, {formatBytes(bufferBytes(buffer))}
            </Fact>
          ))}
        </Facts>
      </Block>
      {streams.length === 0 ? null : (
        <Block title="Streams">
          <Facts>
            {streams.slice(0, mostListed).map((stream) => (
              <Fact key={stream.id} name={stream.id}>
                {stream.flags}
              </Fact>
            ))}
          </Facts>
        </Block>
      )}
    </>
  );
}
