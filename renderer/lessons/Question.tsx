/** A question before anything runs: what do you expect? Each answer then says why it is right or wrong. */
import { Button, NumberInput, Radio, Stack } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { isClose } from '../../core/apps/lessons/evaluate.ts';
import {
  type ChoiceQuestion,
  isChoice,
  type LessonQuestion,
  type NumberQuestion,
  unitFactors,
} from '../../core/apps/lessons/lesson.ts';
import { change } from '../store/lessonView.ts';
import { announce } from '../store/notify.ts';
import classes from './Lesson.module.css';
import { InlineMarkdown } from './Markdown.tsx';
import type { Checked } from './useChecks.ts';
import type { OpenStep } from './useLesson.ts';

interface Props<Asked> {
  readonly open: OpenStep;
  readonly question: Asked;
  readonly checked: Checked;
}

export function Question({ open, question, checked }: Props<LessonQuestion>) {
  return (
    <section className={classes['question']} aria-label="Question" key={open.index}>
      <h3>
        <InlineMarkdown text={question.ask} />
      </h3>
      {isChoice(question) ? (
        <Choices open={open} question={question} checked={checked} />
      ) : (
        <Amount open={open} question={question} checked={checked} />
      )}
    </section>
  );
}

function give({ lesson, index, progress }: OpenStep, value: number | null): void {
  change(lesson.id, { answers: { ...progress.answers, [index]: value } });
}

interface GiveProps {
  readonly open: OpenStep;
  /** Null until it is answered. */
  readonly value: number | null;
  readonly onGiven?: (value: number) => void;
}

function Give({ open, value, onGiven }: GiveProps) {
  return (
    <div className={classes['answer']}>
      <Button
        disabled={value === null}
        onClick={() => {
          give(open, value);
          if (value !== null) onGiven?.(value);
        }}
      >
        Answer, and run it
      </Button>
      <Button variant="subtle" onClick={() => give(open, null)}>
        Show the answer
      </Button>
    </div>
  );
}

function Choices({ open, question }: Props<ChoiceQuestion>) {
  const [picked, setPicked] = useState<string | null>(null);
  const given = open.progress.answers[open.index];
  const right = question.choices.findIndex((choice) => choice.right);
  if (given !== undefined) return <Answered question={question} given={given} />;
  return (
    <>
      <Radio.Group value={picked} onChange={setPicked} aria-label={question.ask}>
        <Stack gap={8}>
          {question.choices.map(({ text }, index) => (
            <Radio key={text} value={String(index)} label={<InlineMarkdown text={text} plain />} />
          ))}
        </Stack>
      </Radio.Group>
      <Give
        open={open}
        value={picked === null ? null : Number(picked)}
        onGiven={(value) =>
          announce(value === right ? 'Right.' : 'That is not right. Each answer now shows its reason.')
        }
      />
    </>
  );
}

function Answered({ question, given }: { readonly question: ChoiceQuestion; readonly given: number | null }) {
  return (
    <ul className={classes['choices']}>
      {question.choices.map(({ text, right, why }, index) => (
        <li key={text} data-right={right || undefined} data-given={index === given || undefined}>
          {right ? (
            <IconCircleCheck size={17} className={classes['good']} aria-label="Right" />
          ) : (
            <IconCircleX size={17} className={classes['wrong']} aria-label="Wrong" />
          )}
          <span>
            <strong>
              <InlineMarkdown text={text} plain />
            </strong>
            {index === given ? <em>{right ? 'Your answer: right' : 'Your answer'}</em> : null}
            <span>
              <InlineMarkdown text={why} />
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Returns the unit as the window writes it; lesson files use plain ASCII. */
const unitLabel = (unit: NumberQuestion['unit']): string => (unit === 'us' ? 'µs' : unit);

function Amount({ open, question, checked }: Props<NumberQuestion>) {
  const [typed, setTyped] = useState<number | string>('');
  const id = useId();
  const given = open.progress.answers[open.index];
  const value = typeof typed === 'number' ? typed : Number.NaN;
  if (given !== undefined) return <AmountAnswered question={question} given={given} checked={checked} />;
  return (
    <>
      <div className={classes['amount']}>
        <NumberInput
          id={id}
          aria-label={`Your answer, in ${unitLabel(question.unit)}`}
          value={typed}
          onChange={setTyped}
          min={0}
          hideControls
          onKeyDown={(event) => {
            if (event.key === 'Enter' && Number.isFinite(value)) give(open, value);
          }}
        />
        <label htmlFor={id}>{unitLabel(question.unit)}</label>
      </div>
      <Give open={open} value={Number.isFinite(value) ? value : null} />
    </>
  );
}

interface AmountAnsweredProps {
  readonly question: NumberQuestion;
  readonly given: number | null;
  readonly checked: Checked;
}

function AmountAnswered({ question, given, checked }: AmountAnsweredProps) {
  const { result } = checked;
  const factor = unitFactors[question.unit];
  const { simulated = null, recorded = null } = result?.answer ?? {};
  const close = given !== null && simulated !== null && isClose(given * factor, simulated, question.within);
  const shown = (nanoseconds: number): string =>
    `${Number((nanoseconds / factor).toPrecision(3))} ${unitLabel(question.unit)}`;
  return (
    <div className={classes['amounts']} role="status">
      <dl className="tabular">
        {given === null ? null : (
          <div data-right={close || undefined}>
            <dt>You said</dt>
            <dd>
              {given} {unitLabel(question.unit)}
              {simulated === null ? null : close ? (
                <IconCircleCheck size={16} className={classes['good']} aria-label="close enough" />
              ) : (
                <IconCircleX size={16} className={classes['wrong']} aria-label="not close" />
              )}
            </dd>
          </div>
        )}
        <div>
          <dt>Simulated</dt>
          <dd>{simulated === null ? '…' : shown(simulated)}</dd>
        </div>
        {recorded === null ? null : (
          <div>
            <dt>Recorded</dt>
            <dd>{shown(recorded)}</dd>
          </div>
        )}
      </dl>
      <p>
        <InlineMarkdown text={question.why} />
      </p>
    </div>
  );
}
