/** Runs tasks one after another: a store looks for a free id and writes under it without another write in between. */
export function serial(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task, task);
    last = result.catch(() => {});
    return result;
  };
}
