package formats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/mail"
	"net/textproto"
	"strings"

	"github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset" // what parts may be encoded in

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

const (
	// maxParts is how many parts an e-mail has, in all its depths.
	maxParts = 1000
	// maxAttached is how deep e-mails and other documents are attached to each other.
	maxAttached = 4
	// maxMultiparts is how deep the parts of an e-mail are within each other. Each level
	// reads all that is in it.
	maxMultiparts = 20
	// maxMailHeader is how long a field of a header is that says what a part is, in bytes.
	// Its parameters take longer than their number.
	maxMailHeader = 64 << 10
)

// mailFields are the fields of a header that tell an e-mail; those that are true are written by
// programs only.
var mailFields = map[string]bool{
	"From": false, "To": false, "Subject": false, "Cc": false, "Reply-To": false, "Sender": false,
	"Message-Id": true, "Received": true, "Mime-Version": true, "Return-Path": true, "Date": true, "Content-Type": true,
	"Delivered-To": true, "X-Mailer": true, "Content-Transfer-Encoding": true, "Dkim-Signature": true,
}

// mailFormat recognises an e-mail and a mailbox, or returns "".
func mailFormat(body []byte, filename string) corpus.ContentType {
	body = mailText(body)
	const most = 2
	if bytes.HasPrefix(body, []byte("From ")) && len(messagesOf(body, most)) >= most {
		return corpus.ContentMailbox
	}
	named := false
	switch extension(filename) {
	case ".eml", ".mbox", ".mail", ".msg", ".mht", ".mhtml", ".nws":
		named = true
	}
	if isEmail(body, named) {
		return corpus.ContentEmail
	}
	return ""
}

// mailText returns an e-mail without the blank lines and the byte order mark before it.
func mailText(body []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(body, []byte(byteOrderMark)), "\r\n")
}

// isEmail reports whether body begins with the header of an e-mail: a sender, and something that
// only programs write. One that is named as an e-mail needs any two fields.
func isEmail(body []byte, named bool) bool {
	const head = 64 << 10
	known, program, from, line := 0, false, false, 0
	for text := range bytes.Lines(body[:min(len(body), head)]) {
		text = bytes.TrimRight(text, "\r\n")
		if line++; line == 1 && (bytes.HasPrefix(text, []byte("From ")) || bytes.HasPrefix(text, []byte(">From "))) { // of a mailbox
			continue
		}
		if len(text) == 0 {
			break
		}
		if text[0] == ' ' || text[0] == '\t' {
			if line == 1 {
				return false
			}
			continue
		}
		name, _, found := bytes.Cut(text, []byte(":"))
		if !found || bytes.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' }) {
			if named && known > 0 {
				continue
			}
			return false
		}
		key := textproto.CanonicalMIMEHeaderKey(string(name))
		if byProgram, ok := mailFields[key]; ok {
			known++
			program = program || byProgram
			from = from || key == "From"
		}
	}
	const enough, least = 4, 2
	return program && (from || known >= enough) || named && known >= least
}

// readEmail makes Markdown of an e-mail: its subject, who wrote it to whom, its text,
// and the attachments that are documents.
func (r *Reader) readEmail(ctx context.Context, body []byte, depth int) (corpus.DocumentText, error) {
	if name, _ := wideEncoding(body); name != "" {
		decoded, _, err := decode(body)
		if err != nil {
			return corpus.DocumentText{}, err
		}
		body = decoded
	}
	return r.readMessage(ctx, mailText(body), depth, nil)
}

// readMessage reads an e-mail; subjects are those of the messages that it may answer, by their ids.
func (r *Reader) readMessage(ctx context.Context, body []byte, depth int, subjects map[string]string) (corpus.DocumentText, error) {
	if bytes.HasPrefix(body, []byte("From ")) || bytes.HasPrefix(body, []byte(">From ")) {
		_, body, _ = bytes.Cut(body, []byte("\n"))
	}
	if n := longestField(body); n > maxMailHeader {
		return corpus.DocumentText{}, malformed("The e-mail has a field of a header of %s that says what a part of it is; at most %s are read.", corpus.HumanSize(n), corpus.HumanSize(maxMailHeader))
	}
	m := email{reader: r, depth: depth, subjects: subjects}
	entity, err := message.Read(bytes.NewReader(body))
	if err != nil && !tolerable(err) {
		body, m.warnings = mendedHeader(body)
		entity, err = message.Read(bytes.NewReader(body))
	}
	if err != nil && !tolerable(err) {
		return corpus.DocumentText{}, malformed("The e-mail cannot be read: %s.", oneLine(err.Error()))
	}
	m.head(entity.Header)
	err = entity.Walk(func(path []int, part *message.Entity, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case len(path) > maxMultiparts:
			return malformed("The e-mail has parts within each other deeper than %d.", maxMultiparts)
		case part == nil:
			return err
		}
		return m.part(ctx, part)
	})
	switch {
	case ctx.Err() != nil || kappa.ErrorCode(err) == kappa.CodeMalformed:
		return corpus.DocumentText{}, err
	case err != nil:
		m.warn("The e-mail is cut short or broken: what is missing is not read (" + oneLine(err.Error()) + ")")
	}
	m.text.WriteString(m.body(ctx))
	m.text.WriteString(m.attached.String())
	return corpus.DocumentText{Text: strings.TrimSpace(m.text.String()), Markup: corpus.ContentMarkdown, Warnings: m.warnings}, nil
}

// maxMailWarnings is how much is said of what is not read of an e-mail or a mailbox.
const maxMailWarnings = 100

// warn says what is not read.
func (m *email) warn(what string) {
	if len(m.warnings) < maxMailWarnings {
		m.warnings = append(m.warnings, what)
	}
}

// longestField returns how long the longest field is, with the lines that continue it, that
// says what a part of an e-mail is. It looks at lines of the text, too: none begins so by
// chance and is long.
func longestField(body []byte) int {
	longest, length := 0, 0
	for line := range bytes.Lines(body) {
		const name = "content-"
		switch {
		case len(line) > len(name) && bytes.EqualFold(line[:len(name)], []byte(name)):
			length = len(line)
		case length > 0 && (line[0] == ' ' || line[0] == '\t'):
			length += len(line)
		default:
			length = 0
		}
		longest = max(longest, length)
	}
	return longest
}

// tolerable reports an encoding that is not known: the bytes are read as they are.
func tolerable(err error) bool {
	return message.IsUnknownCharset(err) || message.IsUnknownEncoding(err)
}

// email is an e-mail that is being read.
type email struct {
	reader   *Reader
	depth    int
	parts    int
	subjects map[string]string // of other messages, by their ids

	text        strings.Builder
	plain, html []string // the texts of it, as text and as pages
	attached    strings.Builder
	warnings    []string
}

// head writes the lines of the header that a reader sees.
func (m *email) head(h message.Header) {
	if subject := oneLine(field(h, "Subject")); subject != "" {
		m.text.WriteString("# " + subject + "\n\n")
	}
	for _, name := range []string{"From", "To", "Cc", "Date"} {
		if value := oneLine(field(h, name)); value != "" {
			if list, err := mail.ParseAddressList(value); err == nil && name != "Date" {
				value = people(list)
			}
			m.text.WriteString(name + ": " + value + "\n\n")
		}
	}
	if subject := m.subjects[strings.TrimSpace(h.Get("In-Reply-To"))]; subject != "" {
		m.text.WriteString("In reply to: " + subject + "\n\n")
	}
}

func field(h message.Header, name string) string {
	value, err := h.Text(name)
	if err != nil {
		return h.Get(name)
	}
	return value
}

// people lists names, and addresses of those without one.
func people(list []*mail.Address) string {
	names := make([]string, len(list))
	for i, a := range list {
		if names[i] = a.Name; a.Name == "" {
			names[i] = a.Address
		}
	}
	return strings.Join(names, ", ")
}

// part reads one part of the e-mail.
func (m *email) part(ctx context.Context, part *message.Entity) error {
	kind, parameters, err := part.Header.ContentType()
	if err != nil {
		kind = string(corpus.ContentPlain)
	}
	if m.parts++; m.parts > maxParts {
		return malformed("The e-mail has more than %d parts.", maxParts)
	}
	if strings.HasPrefix(kind, "multipart/") {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(part.Body, maxEntryBytes+1))
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) { // what could be read counts
		m.warn(fmt.Sprintf("A part of the e-mail (%s) is broken: what follows byte %d of it is not read (%s)", oneLine(kind), len(body), oneLine(err.Error())))
	}
	if len(body) > maxEntryBytes {
		return tooLong()
	}
	disposition, named, _ := part.Header.ContentDisposition()
	name := oneLine(named["filename"])
	if name == "" {
		name = oneLine(parameters["name"])
	}
	switch {
	case disposition != "attachment" && name == "" && kind == "text/html":
		m.html = append(m.html, string(body))
	case disposition != "attachment" && name == "" && strings.HasPrefix(kind, "text/"):
		m.plain = append(m.plain, strings.ReplaceAll(storable(string(body)), "\r\n", "\n"))
	default:
		return m.attachment(ctx, body, name, kind)
	}
	return nil
}

// attachment reads a document that is attached, or names one that is not read.
func (m *email) attachment(ctx context.Context, body []byte, name, kind string) error {
	if name == "" {
		name = "without a name"
	}
	skip := func(reason string) error {
		m.warn(fmt.Sprintf("Attachment %q (%s, %s) is not read: %s", name, oneLine(kind), corpus.HumanSize(len(body)), reason))
		return nil
	}
	if m.depth >= maxAttached {
		return skip("it is attached too deep")
	}
	format, err := m.reader.Recognise(body, name, kind)
	if err != nil {
		return skip(kappa.ErrorMessage(err))
	}
	if format.IsImage() {
		return skip("it is an image")
	}
	if format == corpus.ContentPDF {
		if err := m.reader.pdfium.prepare(ctx); err != nil {
			return err
		}
	}
	d, err := m.reader.convert(ctx, body, format, m.depth+1)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case kappa.ErrorCode(err) == kappa.CodeMalformed:
		return skip(kappa.ErrorMessage(err))
	case err != nil:
		return err
	}
	fmt.Fprintf(&m.attached, "\n\n## Attachment: %s\n\n%s", name, strings.TrimSpace(deeper(d)))
	for _, warning := range d.Warnings {
		m.warn(fmt.Sprintf("Attachment %q: %s", name, warning))
	}
	if m.attached.Len() > maxTextBytes {
		return tooLong()
	}
	return nil
}

// deeper returns a text with its headings two levels below, within the section of the
// attachment.
func deeper(d corpus.DocumentText) string {
	if d.Markup != corpus.ContentMarkdown {
		return d.Text
	}
	var text strings.Builder
	last := 0
	for _, p := range sections(d.Text) {
		text.WriteString(d.Text[last:p.Start])
		level, _ := headingOf(d.Text[p.Start:])
		text.WriteString(strings.Repeat("#", min(2, 6-min(level, 6))))
		last = p.Start
	}
	text.WriteString(d.Text[last:])
	return text.String()
}

// body returns the text of the e-mail: what is written as text, or else the pages.
func (m *email) body(ctx context.Context) string {
	if plain := strings.TrimSpace(strings.Join(m.plain, "\n\n")); plain != "" {
		return plain
	}
	var text []string
	for _, page := range m.html {
		d, err := htmlText(ctx, []byte(page))
		if err != nil {
			m.warn(kappa.ErrorMessage(err))
		}
		text = append(text, d.Text)
	}
	return strings.Join(text, "\n\n")
}

func oneLine(s string) string { return strings.Join(strings.Fields(storable(s)), " ") }
