/** Writes a lesson about a recorded program: its lanes, a question, the plan as hidden answer, and a task. */
import { stringify } from 'yaml';
import { CopyscopeError } from '../../errors.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { RemedyAnswer, TraceAnswers } from '../../lift/answers.ts';
import { lessonFormat, lessonVersion } from './lesson.ts';
import { maxLessonCharacters } from './parse.ts';

type Plan = Pick<TraceAnswers, 'answer'> & {
  readonly plan: readonly Pick<RemedyAnswer, 'gainShare' | 'mayGainNothing' | 'code'>[];
};

/**
 * Returns the file of a lesson, which a teacher edits as text. `steps` are the trace's steps as an experiment. Without a
 * change that certainly gains something, the lesson has no task. Throws `lesson.too-large`.
 */
export function lessonOfPlan(name: string, steps: Experiment, { answer, plan }: Plan): string {
  const best = plan.find(({ mayGainNothing }) => !mayGainNothing);
  // Half of the predicted gain is enough, since the prediction has an interval.
  const most = best === undefined ? 0 : Math.ceil((1 - best.gainShare / 2) * 100);
  const share = `${most} %`;
  const copies = { kind: 'copy' };
  const front = {
    format: lessonFormat,
    version: lessonVersion,
    title: `Step time of ${name}`.slice(0, 300),
    summary: 'Find where the step time of this program goes, and what to change.',
    group: 'My course',
    minutes: 10,
    source: [`Trace ${name}`.slice(0, 300)],
    differs: 'The steps are simulated with the times of the trace, without what recording cost.',
    steps: [
      {
        title: 'Where does the step time go?',
        experiment: 'steps',
        question: {
          ask: 'For how many milliseconds do copies run while no kernel does?',
          unit: 'ms',
          answer: { measure: 'exposed', of: copies, with: { kind: 'kernel' } },
          within: 1.5,
          why: answer,
        },
      },
      ...(best === undefined
        ? []
        : [
            {
              title: 'Make it shorter',
              experiment: 'steps',
              task: {
                do: `Get these steps done in ${share} of the time or less.`,
                checks: [
                  { says: `In ${share} of the time or less`, measure: 'makespan', comparedTo: 'start', atMost: share },
                  {
                    says: 'The same number of bytes is copied',
                    measure: 'bytes',
                    of: copies,
                    comparedTo: 'start',
                    atLeast: 1,
                  },
                ],
                keep: ['kernels'],
                hints: best.code.slice(0, 8).map((line) => `\`\`\`python\n${line}\n\`\`\``),
              },
            },
          ]),
    ],
    experiments: { steps: { document: steps } },
  };
  const texts = [
    ['Where does the step time go?', 'These are steps of a recorded program. Look at the lanes, then answer.'],
    ...(best === undefined ? [] : [['Make it shorter', 'Change the score. Every change is simulated at once.']]),
  ];
  const sections = texts.map(([title, text]) => `## ${title}\n\n${text}\n`);
  const file = `---\n${stringify(front, { aliasDuplicateObjects: false, lineWidth: 0 })}---\n\n${sections.join('\n')}`;
  if (file.length <= maxLessonCharacters) return file;
  throw new CopyscopeError({
    code: 'lesson.too-large',
    message: `The steps of ${name} make a lesson of ${file.length} characters; at most ${maxLessonCharacters} are read.`,
    remedy: 'Record fewer or shorter steps, and make the lesson of that trace.',
  });
}
