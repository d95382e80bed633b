package llm

import (
	"bufio"
	"encoding/json"
	"io"
	"mime"
	"strings"
)

const (
	mostShown   = 100     // characters of an answer that cannot be read, in its error
	mostBegun   = 4 << 10 // bytes of an answer that are kept for that
	mostKeyWide = 512     // bytes at their end that are not shown: they may be half a key
)

// body is an answer whose status is 200, while it is read. It is read in the form that it
// has, not in the one that was asked for: servers that speak another one's API need not
// know how to stream.
type body struct {
	*bufio.Reader
	provider string
	secrets  secrets
	status   int
	kind     string // its media type; "" without one
	begun    []byte // how it begins
}

// newBody returns the body of an answer, which comes from from.
func (t *transport) newBody(status int, contentType string, from io.Reader, secrets secrets) *body {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind = strings.ToLower(strings.TrimSpace(contentType))
	}
	b := &body{provider: t.provider, secrets: secrets, status: status, kind: kind}
	b.Reader = bufio.NewReader(io.TeeReader(from, b))
	return b
}

// Write keeps how the answer begins. It implements io.Writer, and never fails.
func (b *body) Write(p []byte) (int, error) {
	if room := mostBegun - len(b.begun); room > 0 {
		b.begun = append(b.begun, p[:min(len(p), room)]...)
	}
	return len(p), nil
}

// whole reports whether the answer is one JSON value rather than a stream of events. Its
// type says so, unless it plainly begins as the other one does.
func (b *body) whole() (bool, error) {
	for {
		first, err := b.ReadByte()
		if err == io.EOF { //nolint:errorlint // bufio returns it as it is
			return false, nil
		}
		if err != nil {
			return false, err
		}
		switch first {
		case ' ', '\t', '\r', '\n':
			continue
		}
		if err := b.UnreadByte(); err != nil {
			return false, err
		}
		switch first {
		case '{':
			return true, nil
		case ':', 'd', 'e', 'i', 'r': // a comment, data, event, id or retry
			return false, nil
		}
		return b.kind == "application/json", nil
	}
}

// readWhole reads an answer that is one JSON value.
func (b *body) readWhole(to any) error {
	text, err := io.ReadAll(b)
	if err != nil {
		return err
	}
	if json.Unmarshal(text, to) != nil {
		return b.foreign()
	}
	return nil
}

// foreign is the failure of an answer that is not what the API promises.
func (b *body) foreign() *failure { return b.unreadable("did not answer as its API does") }

// cut is that of one that ended before it was complete.
func (b *body) cut() *failure { return b.unreadable("broke off within an answer") }

// unreadable says what came: status, type, and how it begins.
func (b *body) unreadable(how string) *failure {
	kind, shown := b.kind, b.beginning()
	if kind == "" {
		kind = "without a type"
	}
	if shown == "" {
		shown = "nothing"
	}
	return failed(failedProvider, "%s %s; it sent (%d, %s): %s", b.provider, how, b.status, kind, shown)
}

// beginning returns how the answer begins, on one line and without keys.
func (b *body) beginning() string {
	kept := b.begun
	if len(kept) == mostBegun {
		kept = kept[:mostBegun-mostKeyWide]
	}
	text := strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(kept), ""))
	shown := []rune(strings.Join(strings.Fields(b.secrets.hide(text)), " "))
	if len(shown) > mostShown {
		return string(shown[:mostShown]) + "…"
	}
	return string(shown)
}
