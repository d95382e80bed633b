package formats

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"net/mail"
	"regexp"
	"strings"

	"github.com/emersion/go-message/charset"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

// maxMessages is how many messages of a mailbox are read.
const maxMessages = 10_000

// messageField is how the line after the one that begins a message of a mailbox begins.
var messageField = regexp.MustCompile(`^(?:[!-9;-~]+:|>From )`)

// messagesOf cuts a mailbox into up to so many messages. One begins with a line "From …" after a
// blank line, and with a header.
func messagesOf(body []byte, most int) [][]byte {
	var messages [][]byte
	begin, offset, blank := 0, 0, true
	for line := range bytes.Lines(body) {
		at := offset
		offset += len(line)
		if blank && bytes.HasPrefix(line, []byte("From ")) && messageField.Match(body[offset:min(len(body), offset+256)]) {
			if at > begin {
				messages = append(messages, body[begin:at])
				if len(messages) == most {
					return messages
				}
			}
			begin = at
		}
		blank = len(bytes.TrimSpace(line)) == 0
	}
	return append(messages, body[begin:])
}

// readMailbox makes Markdown of the messages of a mailbox, each of which is a section: its subject,
// who wrote it to whom and when, which other one it answers, and its text. A message that cannot be
// read does not keep the others from it.
func (r *Reader) readMailbox(ctx context.Context, body []byte, depth int) (corpus.DocumentText, error) {
	d := corpus.DocumentText{Markup: corpus.ContentMarkdown}
	messages := messagesOf(mailText(body), maxMessages+1)
	if len(messages) > maxMessages {
		return d, malformed("The mailbox has more than %d messages. Split it into smaller ones.", maxMessages)
	}
	subjects := map[string]string{}
	var text strings.Builder
	left := 0 // warnings that are not said
	for i, message := range messages {
		m, err := r.readMessage(ctx, unquoted(message), depth, subjects)
		switch {
		case ctx.Err() != nil:
			return d, context.Cause(ctx)
		case kappa.ErrorCode(err) == kappa.CodeMalformed:
			m.Warnings = []string{"It is not read: " + kappa.ErrorMessage(err)}
		case err != nil:
			return d, err
		}
		for _, warning := range m.Warnings {
			if len(d.Warnings) < maxMailWarnings {
				d.Warnings = append(d.Warnings, fmt.Sprintf("Message %d: %s", i+1, warning))
			} else {
				left++
			}
		}
		remember(subjects, message)
		if m.Text == "" {
			continue
		}
		if !strings.HasPrefix(m.Text, "# ") {
			fmt.Fprintf(&text, "# Message %d\n\n", i+1)
		}
		text.WriteString(m.Text + "\n\n")
		if text.Len() > maxTextBytes {
			return d, tooLong()
		}
	}
	if left > 0 {
		d.Warnings = append(d.Warnings, fmt.Sprintf("%d more warnings are like these", left))
	}
	d.Text = strings.TrimSpace(text.String())
	return d, nil
}

// unquoted takes the mark from lines "From …" of a text, which a mailbox puts before them.
func unquoted(message []byte) []byte {
	return bytes.ReplaceAll(message, []byte("\n>From "), []byte("\nFrom "))
}

// remember keeps the subject of a message by its id, for those that answer it.
func remember(subjects map[string]string, body []byte) {
	const head = 64 << 10
	if bytes.HasPrefix(body, []byte("From ")) {
		_, body, _ = bytes.Cut(body, []byte("\n"))
	}
	m, err := mail.ReadMessage(bytes.NewReader(body[:min(len(body), head)]))
	if err != nil {
		return
	}
	if id := strings.TrimSpace(m.Header.Get("Message-Id")); id != "" {
		subject, err := wordDecoder.DecodeHeader(m.Header.Get("Subject"))
		if err != nil {
			subject = m.Header.Get("Subject")
		}
		const longest = 200
		subject = oneLine(subject)
		subjects[id] = strings.ToValidUTF8(subject[:min(len(subject), longest)], "")
	}
}

// wordDecoder decodes subjects.
var wordDecoder = mime.WordDecoder{CharsetReader: charset.Reader}
