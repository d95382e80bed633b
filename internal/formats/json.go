package formats

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

// isJSON reports whether a text is a JSON object or array, or a line of it after the
// other.
func isJSON(text []byte) bool {
	text = bytes.TrimSpace(text)
	if len(text) < 2 || text[0] != '{' && text[0] != '[' {
		return false
	}
	if json.Valid(text) {
		return true
	}
	lines := 0
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if line[0] != '{' || !json.Valid(line) {
			return false
		}
		lines++
	}
	return lines > 0
}

// readJSON makes text of JSON: a line for each value that is not empty, after the name
// of its member, and a paragraph for each object of an array.
func readJSON(ctx context.Context, text []byte) (corpus.DocumentText, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var j jsonText
	for {
		if ctx.Err() != nil {
			return corpus.DocumentText{}, context.Cause(ctx)
		}
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return corpus.DocumentText{}, malformed("The JSON is broken at byte %d: %v.", d.InputOffset(), err)
		}
		j.add(token)
		if j.text.Len() > maxTextBytes {
			return corpus.DocumentText{}, tooLong()
		}
	}
	return corpus.DocumentText{
		Text: strings.TrimSpace(j.text.String()), Markup: corpus.ContentPlain,
		Warnings: []string{"It is JSON: each value is read after the name of its member"},
	}, nil
}

// jsonText writes the values of JSON while its tokens are read.
type jsonText struct {
	text strings.Builder
	open []jsonLevel
}

// jsonLevel is an object or array that is open.
type jsonLevel struct {
	object bool
	member string // whose value comes next, as words; "" is a name
	named  bool
}

func (j *jsonText) add(token json.Token) {
	var top *jsonLevel
	if len(j.open) > 0 {
		top = &j.open[len(j.open)-1]
	}
	if mark, ok := token.(json.Delim); ok {
		j.mark(mark, top)
		return
	}
	if top != nil && top.object && !top.named {
		name, _ := token.(string) // names are strings
		top.member, top.named = readable(name), true
		return
	}
	j.value(token)
	if top != nil {
		top.named = false
	}
}

// mark opens or closes an object or array.
func (j *jsonText) mark(mark json.Delim, top *jsonLevel) {
	switch mark {
	case '{', '[':
		member := ""
		if top != nil && (top.named || !top.object) {
			member, top.named = top.member, false
		}
		j.open = append(j.open, jsonLevel{object: mark == '{', member: member})
	default:
		if mark == '}' && !strings.HasSuffix(j.text.String(), "\n\n") {
			j.text.WriteByte('\n')
		}
		j.open = j.open[:len(j.open)-1]
	}
}

// value writes a string or number after the name of its member.
func (j *jsonText) value(token json.Token) {
	value := ""
	switch v := token.(type) {
	case string:
		value = v
	case json.Number:
		value = v.String()
	case bool:
		if value = "no"; v {
			value = "yes"
		}
	}
	value = strings.Join(strings.Fields(storable(value)), " ")
	if value == "" {
		return
	}
	if name := j.open[len(j.open)-1].member; name != "" {
		j.text.WriteString(name + ": ")
	}
	j.text.WriteString(value + "\n")
}

// readable makes words of the name of a member: created_at and createdAt are
// "created at".
func readable(name string) string {
	var words strings.Builder
	lower := false
	for _, r := range storable(name) {
		switch {
		case r == '_' || r == '-' || r == '.':
			words.WriteByte(' ')
			lower = false
			continue
		case lower && 'A' <= r && r <= 'Z':
			words.WriteByte(' ')
			words.WriteRune(r + 'a' - 'A')
			lower = false
			continue
		}
		words.WriteRune(r)
		lower = 'a' <= r && r <= 'z'
	}
	return strings.Join(strings.Fields(words.String()), " ")
}
