/** Both ends of a line are of one build, so that what they say to each other is never a matter of versions. */
import { CopyscopeError } from '../../core/errors.ts';

export const otherBuild = (host: string, there: string, here: string): CopyscopeError =>
  new CopyscopeError({
    code: 'host.other-version',
    message: `${host} was set up with Copyscope ${there}; here it is ${here}.`,
    remedy: `Replace it with: copyscope host add ${host} --replace`,
  });
