package questions

import "github.com/kappagraph/kappa/corpus/models"

// AnswerOffer is what it takes to have a model answer a question from passages: it is
// announced before the model is called.
type AnswerOffer struct {
	Model      string  `json:"model"`
	Input      int     `json:"input_tokens" doc:"That are sent, about"`
	MostOutput int     `json:"most_output_tokens"`
	CostAtMost float64 `json:"cost_at_most_usd" doc:"For so many tokens, not rounded"`
}

// AnswerSentence is a sentence of a model's answer. Each cites the passages that it is
// taken from, and which have its names and numbers; one that cites no such passage is left out.
type AnswerSentence struct {
	Text     string `json:"text" doc:"Without its citations"`
	Passages []int  `json:"passages" doc:"Numbers of passages, from 1"`
}

// AnswerEnd is what became of a model's answer.
type AnswerEnd struct {
	Answered bool    `json:"answered" doc:"Some sentence was told; otherwise the documents do not answer the question"`
	Dropped  int     `json:"sentences_dropped" doc:"Sentences that were left out: they cited no passage, or none that has their names and numbers"`
	Cut      bool    `json:"cut" doc:"The answer reached most_output_tokens, and its end is missing"`
	Cost     float64 `json:"cost_usd" doc:"Not rounded"`
	models.TokenUsage
}
