package http

import (
	"context"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// AnswerModel answers questions from passages. The zero AnswerModel answers none.
type AnswerModel struct {
	// Offer says what an answer would take at most.
	Offer func(question string, passages []questions.AskPassage) questions.AnswerOffer
	// Answer tells each sentence as soon as it is complete. An error of tell ends it.
	Answer func(ctx context.Context, question string, passages []questions.AskPassage, tell func(questions.AnswerSentence) error) (questions.AnswerEnd, error)
}
