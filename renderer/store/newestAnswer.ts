/** Requests that may be repeated before they are answered. */

/** Drops an answer that arrives after the answer to a newer request. */
export function newestAnswer<Answer>(ask: () => Promise<Answer>, take: (answer: Answer) => void): () => Promise<void> {
  let [asked, taken] = [0, 0];
  return async () => {
    asked += 1;
    const question = asked;
    const answer = await ask();
    if (question < taken) return;
    taken = question;
    take(answer);
  };
}
