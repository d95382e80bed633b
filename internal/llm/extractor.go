package llm

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
)

// MaxAnswerTokens is how many tokens an answer about a chunk may have.
const MaxAnswerTokens = mostOutput

const (
	// mostOutput is how many tokens an answer may have. A chunk of a thousand words
	// needs about two thousand.
	mostOutput = 8192
	// answerTries is how often a passage is asked about whose answers are no JSON of the
	// form.
	answerTries = 3
	// shortestPart is the length in bytes below which a passage is not split again, and
	// mostSplits how often it is.
	shortestPart = 400
	mostSplits   = 5
)

// Extractor has a model read passages. It is safe for concurrent use.
type Extractor struct {
	provider *Provider
	model    string
	most     int // tokens of an answer
}

// NewExtractor returns an extractor by a model of a provider.
func NewExtractor(p *Provider, model string) *Extractor { return &Extractor{p, model, mostOutput} }

// Limit has answers be of no more than so many tokens; 0 is MaxAnswerTokens. It is called
// before the first passage.
func (e *Extractor) Limit(tokens int) { e.most = cmp.Or(tokens, mostOutput) }

// MaxTokens returns how many tokens an answer may have.
func (e *Extractor) MaxTokens() int { return e.most }

// Model describes the model.
func (e *Extractor) Model() models.Model { return e.provider.model(e.model) }

// PromptTokens returns how many tokens are sent with each passage besides its text: the
// instructions, the relationship types and, about, the known concepts.
func (e *Extractor) PromptTokens(types []string) int {
	const knownTokens = knowledge.MaxKnownConcepts * 5
	return CountTokens(systemPrompt(types)+userPrompt(knowledge.Passage{})) + CountTokens(string(answerSchema)) + knownTokens
}

// CountTokens returns how many tokens a text is for the model, or about as many.
func (*Extractor) CountTokens(text string) int { return CountTokens(text) }

// Extract has the model read a passage. Where the answer, or the passage, is longer than
// the model takes, the passage is split in two, and both are read. The errors are those
// of the package.
func (e *Extractor) Extract(ctx context.Context, p knowledge.Passage) (knowledge.Extraction, error) {
	return e.read(ctx, p, mostSplits)
}

// read reads a passage that may be split so many times.
func (e *Extractor) read(ctx context.Context, p knowledge.Passage, splits int) (knowledge.Extraction, error) {
	found, cut, err := e.ask(ctx, p)
	if err != nil || !cut {
		return found, err
	}
	left, right, ok := split(p.Text)
	if !ok || splits == 0 {
		return knowledge.Extraction{}, kappa.Permanent(kappa.NewError(kappa.CodeUpstream, "the answer is longer than the model may give, however short the passage"))
	}
	joined := knowledge.Extraction{Tokens: found.Tokens}
	for i, text := range []string{left, right} {
		part := p
		part.Text = text
		got, err := e.read(ctx, part, splits-1)
		if err != nil {
			return knowledge.Extraction{}, err
		}
		join(&joined, got, fmt.Sprintf("%d/", i+1))
	}
	return joined, nil
}

// ask asks about one passage. cut says that what is needed is longer than the model
// takes or gives.
func (e *Extractor) ask(ctx context.Context, p knowledge.Passage) (found knowledge.Extraction, cut bool, err error) {
	m := message{model: e.model, system: systemPrompt(p.Types), user: userPrompt(p), schema: answerSchema, most: e.most}
	m.prompt = CountTokens(m.system) + CountTokens(m.user) + CountTokens(string(m.schema))
	m.least = CountTokens(p.Text) / 2
	tokens := 0
	for range answerTries {
		a, err := e.provider.chat(ctx, models.ForExtraction, m)
		tokens += a.usage.Total()
		switch {
		case err != nil && isLength(err):
			return knowledge.Extraction{Tokens: tokens}, true, nil
		case err != nil:
			return knowledge.Extraction{}, false, err
		case a.cut:
			return knowledge.Extraction{Tokens: tokens}, true, nil
		}
		if found, ok := decode(a.text); ok {
			found.Tokens = tokens
			return found, false, nil
		}
	}
	return knowledge.Extraction{}, false, kappa.Permanent(kappa.NewError(kappa.CodeUpstream, fmt.Sprintf("%s gave %d answers that are not the JSON that was asked for", e.Model().Name, answerTries)))
}

// split cuts a text in two near its middle: at a blank line, else at the end of a
// sentence or a line, else at a space. ok is false when it is too short.
func split(text string) (left, right string, ok bool) {
	if len(text) < 2*shortestPart {
		return "", "", false
	}
	from, to := len(text)/4, len(text)*3/4
	middle := len(text) / 2
	for _, mark := range []string{"\n\n", ". ", "\n", " "} {
		best := -1
		for at := from; ; {
			i := strings.Index(text[at:to], mark)
			if i < 0 {
				break
			}
			at += i + len(mark)
			if best < 0 || distance(at, middle) < distance(best, middle) {
				best = at
			}
		}
		if best > 0 {
			return text[:best], text[best:], true
		}
	}
	for !utf8.RuneStart(text[middle]) {
		middle++
	}
	return text[:middle], text[middle:], true
}

func distance(a, b int) int { return max(a-b, b-a) }

// join adds to an extraction that of a part of the passage, whose keys get a prefix:
// models name the concepts of every answer anew. Concepts of the same label become one
// where every extraction is cleaned.
func join(to *knowledge.Extraction, part knowledge.Extraction, prefix string) {
	to.Tokens += part.Tokens
	for _, c := range part.Concepts {
		c.Key = prefix + c.Key
		to.Concepts = append(to.Concepts, c)
	}
	for _, i := range part.Instances {
		i.Concept = prefix + i.Concept
		to.Instances = append(to.Instances, i)
	}
	for _, r := range part.Relationships {
		r.From, r.To = prefix+r.From, prefix+r.To
		to.Relationships = append(to.Relationships, r)
	}
}
