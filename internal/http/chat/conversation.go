package chat

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// message is one of a conversation. What is not said by the user is not heeded.
type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
}

// content is the text of a message, which comes as such or as a list of parts.
type content string

// UnmarshalJSON reads either form. A part that is no text is refused: it would not be looked at.
func (t *content) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || bytes.Equal(data, []byte("null")) {
		return nil
	}
	if data[0] == '"' {
		return json.Unmarshal(data, (*string)(t))
	}
	var list []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return kappa.NewError(kappa.CodeMalformed, "content must be a text or a list of parts")
	}
	var texts []string
	for _, part := range list {
		if part.Type != "text" && part.Type != "input_text" {
			return kappa.NewError(kappa.CodeMalformed, "content has a part that is no text, and only text is read: its type is "+check.Quote(part.Type))
		}
		texts = append(texts, part.Text)
	}
	*t = content(strings.Join(texts, "\n"))
	return nil
}

// asked is the question of a conversation, and the user's questions before it.
func asked(conversation []message) (question string, thread []string, err error) {
	var said []string
	for _, m := range conversation {
		if text := strings.TrimSpace(string(m.Content)); m.Role == "user" && text != "" {
			said = append(said, text)
		}
	}
	last := len(conversation) - 1
	switch {
	case len(said) == 0 || conversation[last].Role != "user" || strings.TrimSpace(string(conversation[last].Content)) == "":
		return "", nil, kappa.Invalid(kappa.FieldError{In: "body", Name: "messages", Rule: "the last one must be of the role user, with a question as its content"})
	case check.Phrase(said[len(said)-1], questions.MaxQuestion) != "":
		return "", nil, kappa.Invalid(kappa.FieldError{In: "body", Name: "messages", Rule: "the question " + check.Phrase(said[len(said)-1], questions.MaxQuestion)})
	}
	question, said = said[len(said)-1], said[:len(said)-1]
	said = slices.DeleteFunc(said, func(text string) bool {
		return !utf8.ValidString(text) || check.Phrase(text, questions.MaxQuestion) != ""
	})
	return question, said[max(0, len(said)-questions.MaxThread):], nil
}
