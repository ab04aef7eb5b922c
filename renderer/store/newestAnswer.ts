/** Questions that are asked again before they are answered. */

/** Of answers that overtake one another, one to an older question than that of the last is dropped. */
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
