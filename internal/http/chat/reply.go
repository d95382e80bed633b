package chat

import (
	"context"
	"encoding/json"
	"fmt"
	nethttp "net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// reply is an answer to a conversation: what was found, and how it is told.
type reply struct {
	found  questions.AskAnswer
	model  http.AnswerModel // zero: the passages are the answer
	origin string           // of the links into the console
}

// find finds what answers the last question of a conversation.
func (a *API) find(ctx context.Context, model string, conversation []message, origin string) (reply, error) {
	question, thread, err := asked(conversation)
	if err != nil {
		return reply{}, err
	}
	t, err := a.target(ctx, model)
	if err != nil {
		return reply{}, err
	}
	data, err := a.ask(ctx, nethttp.MethodPost, "/query/ask", api.AskRequestOf(questions.Question{Text: question, Thread: thread, AskFilter: questions.AskFilter{Ontologies: t.ontologies}}))
	if err != nil {
		return reply{}, err
	}
	r := reply{origin: origin}
	if err := json.Unmarshal(data, &r.found); err != nil {
		return reply{}, fmt.Errorf("read an answer: %w", err)
	}
	if !t.free && len(r.found.Passages) > 0 {
		r.model = a.cfg.Model()
	}
	return r, nil
}

// tell tells the answer, in Markdown, in one or more parts, and returns what a model took.
func (r reply) tell(ctx context.Context, tell func(string) error) (models.TokenUsage, error) {
	if r.model.Answer == nil {
		return models.TokenUsage{}, tell(r.passages())
	}
	cited := map[int]bool{}
	end, err := r.model.Answer(ctx, r.found.Question, r.found.Passages, func(s questions.AnswerSentence) error {
		var marks strings.Builder
		for _, n := range s.Passages {
			cited[n] = true
			fmt.Fprintf(&marks, "[%d]", n)
		}
		return tell(plain(s.Text) + " " + marks.String() + " ")
	})
	if err != nil {
		return end.TokenUsage, err
	}
	if !end.Answered {
		return end.TokenUsage, tell("The documents do not answer that.\n\n" + r.passages())
	}
	return end.TokenUsage, tell("\n\n" + r.remarks() + r.sources(func(n int) bool { return cited[n] }))
}

// passages are the passages as an answer: each with its sentence in bold, and its source.
func (r reply) passages() string {
	var out strings.Builder
	out.WriteString(r.remarks())
	if len(r.found.Passages) == 0 {
		out.WriteString("The documents say nothing of that.\n")
	}
	for i, p := range r.found.Passages {
		fmt.Fprintf(&out, "[%d] %s\n\n", i+1, quoted(p))
	}
	out.WriteString(r.sources(func(int) bool { return true }))
	return strings.TrimSpace(out.String())
}

func (r reply) remarks() string {
	var out strings.Builder
	for _, remark := range r.found.Remarks() {
		out.WriteString("*" + plain(remark) + "*\n\n")
	}
	return out.String()
}

// sources lists where passages stand, each with a link into the console.
func (r reply) sources(shown func(number int) bool) string {
	var out strings.Builder
	for i, p := range r.found.Passages {
		if shown(i + 1) {
			fmt.Fprintf(&out, "- \\[%d\\] [%s](%s)\n", i+1, plain(placeOf(p)), r.link(p))
		}
	}
	if out.Len() == 0 {
		return ""
	}
	return "Sources:\n" + out.String()
}

// links are the addresses of the sources, in their order.
func (r reply) links() []string {
	links := make([]string, len(r.found.Passages))
	for i, p := range r.found.Passages {
		links[i] = r.link(p)
	}
	return links
}

// link is where the console shows a passage.
func (r reply) link(p questions.AskPassage) string {
	at := p.Span
	if p.Sentence != nil {
		at = p.Sentence.Span
	}
	return fmt.Sprintf("%s/console/documents/%s?ontology=%s&bytes=%d-%d", r.origin, url.PathEscape(p.DocumentID), url.QueryEscape(p.Document), at.Start, at.End)
}

// placeOf names a document, and the place within it.
func placeOf(p questions.AskPassage) string {
	name := http.Printable(p.Name)
	if p.Section != nil {
		name += ", " + http.Printable(*p.Section)
	}
	if p.Page != nil {
		name += ", page " + strconv.Itoa(*p.Page)
	}
	return name
}

const shownOfPassage = 900 // bytes of a passage around its sentence

// quoted is the text of a passage on one line, the sentence that answers in bold.
func quoted(p questions.AskPassage) string {
	text := p.Text
	if p.Sentence == nil || p.Sentence.Start < p.Start || p.Sentence.End > p.Start+len(text) || p.Sentence.Start > p.Sentence.End {
		return plain(oneLine(cut(text, shownOfPassage)))
	}
	before, sentence, after := text[:p.Sentence.Start-p.Start], text[p.Sentence.Start-p.Start:p.Sentence.End-p.Start], text[p.Sentence.End-p.Start:]
	if len(before) > shownOfPassage/2 {
		before = "… " + strings.ToValidUTF8(before[len(before)-shownOfPassage/2:], "")
	}
	parts := []string{plain(oneLine(before)), "**" + plain(oneLine(cut(sentence, shownOfPassage))) + "**", plain(oneLine(cut(after, shownOfPassage/2)))}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" || s == "****" }), " ")
}

// cut returns a text of at most so many bytes.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " …"
}

// oneLine is a text on one line, without what Markdown has bold: the sentence alone is.
func oneLine(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "**", "")), " ")
}

// plain is a text in which nothing is Markdown: what a document says may be no link and no
// picture, which a chat client would fetch.
func plain(text string) string { return markdown.Replace(text) }

var markdown = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, `<`, `\<`, `*`, `\*`, `_`, `\_`, "`", "\\`", `|`, `\|`, `~`, `\~`, `$`, `\$`)
