// A provider of promptfoo that adds: 12 tokens an answer, 7 of them reasoning; all that is allowed where the sum is
// 120; an error where it is 14.
module.exports = class {
  constructor(options) {
    this.config = options.config;
  }

  id() {
    return "file://adder.cjs";
  }

  async callApi(prompt) {
    const sum = prompt.match(/\d+/g).reduce((left, right) => left + Number(right), 0);
    if (sum === 14) return { error: "no answer today" };
    const cut = sum === 120;
    const completion = cut ? this.config.max_tokens : 12;
    return {
      output: cut ? "" : `It is ${sum}`,
      finishReason: cut ? "length" : "stop",
      tokenUsage: { prompt: 9, completion, total: 9 + completion, completionDetails: { reasoning: completion - 5 } },
      cost: 0.001,
    };
  }
};
