/** Asks the user before the host starts a program: once for each kind while the page is open. */
import { create } from 'zustand';
import { CopyscopeError, toErrorInfo } from '../../../core/errors.ts';
import { hostFunctions } from '../../../core/service/requests.ts';
import type { HostService, WindowService } from '../../../core/service/service.ts';
import { type StartKind, unconfirmed } from '../../../core/service/starts.ts';

interface Question {
  readonly kind: StartKind;
  /** Question of the host, which names the command. */
  readonly text: string;
  readonly answer: (isAllowed: boolean) => void;
}

export const useStarts = create<{
  readonly question: Question | null;
  readonly allowed: readonly StartKind[];
}>()(() => ({ question: null, allowed: [] }));

/** Wraps the host so that its refusals to start a program become questions in the window. */
export function askBeforeStarts(service: WindowService): HostService {
  const asking =
    (name: keyof HostService) =>
    async (...args: unknown[]): Promise<unknown> => {
      const call = service[name] as (...args: unknown[]) => Promise<unknown>;
      try {
        return await call(...args);
      } catch (thrown) {
        const { code, field, message } = toErrorInfo(thrown);
        if (code !== unconfirmed) throw thrown;
        const kind = field as StartKind;
        if (!(await isAllowed(kind, message))) throw declined();
        await service.allowStarts(kind);
        return call(...args);
      }
    };
  return Object.fromEntries(hostFunctions.map((name) => [name, asking(name)])) as unknown as HostService;
}

let last: Promise<unknown> = Promise.resolve();

/** Asks one question at a time, since its answer may apply to the waiting ones. */
function isAllowed(kind: StartKind, text: string): Promise<boolean> {
  const answer = last.then(async () => {
    if (useStarts.getState().allowed.includes(kind)) return true;
    const given = await new Promise<boolean>((resolve) => {
      useStarts.setState({ question: { kind, text, answer: resolve } });
    });
    useStarts.setState(({ allowed }) => ({ question: null, allowed: given ? [...allowed, kind] : allowed }));
    return given;
  });
  last = answer;
  return answer;
}

const declined = (): CopyscopeError => new CopyscopeError({ code: 'start.declined', message: 'Nothing was started.' });
