package formats

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

// TestMailbox reads messages as sections, of which one answers another and one is broken.
func TestMailbox(t *testing.T) {
	box := "From ada@example.org Sat Jan 31 12:00:00 2026\nFrom: Ada <ada@example.org>\nSubject: The ice\nDate: Sat, 31 Jan 2026 12:00:00 +0000\nMessage-ID: <1@x>\n\nIt melts.\n>From now on.\n\n" +
		"From bob@example.org Sun Feb 1 12:00:00 2026\nFrom: Bob <bob@example.org>\nSubject: Re: The ice\nIn-Reply-To: <1@x>\nMessage-ID: <2@x>\n\nNot yet.\nFrom here it looks cold.\n\n" +
		"From carl@example.org Mon Feb 2 12:00:00 2026\nFrom: Carl <carl@example.org>\nContent-Type: multipart/mixed; boundary=b\nContent-X: " + strings.Repeat("x", maxMailHeader+1) + "\n\nLost.\n\n" +
		"From dan@example.org Mon Feb 2 12:00:00 2026\nFrom: Dan <dan@example.org>\nMessage-ID: <4@x>\n\nThe end.\n"
	format, d := readNamed(t, "\n"+box, "a.mbox")
	want := "# The ice\n\nFrom: Ada\n\nDate: Sat, 31 Jan 2026 12:00:00 +0000\n\nIt melts.\nFrom now on.\n\n" +
		"# Re: The ice\n\nFrom: Bob\n\nIn reply to: The ice\n\nNot yet.\nFrom here it looks cold.\n\n# Message 4\n\nFrom: Dan\n\nThe end."
	if format != corpus.ContentMailbox || d.Text != want || len(d.Warnings) != 1 || !strings.HasPrefix(d.Warnings[0], "Message 3: It is not read: ") {
		t.Errorf("got %s and %q with %q, want %q", format, d.Text, d.Warnings, want)
	}
	refused(t, strings.Repeat("From a Sat\nFrom: a@b\nDate: x\n\nIt melts.\n\n", maxMessages+1), "more than 10000 messages")
}

// TestMailIsRecognised has mail that was taken for a text: its base64 was its words.
func TestMailIsRecognised(t *testing.T) {
	mail := "From: a@example.org\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nSXQgbWVsdHMu\n"
	for name, c := range map[string]struct{ body, name string }{
		"a blank line before it": {"\n\r\n" + mail, "a.txt"}, "a byte order mark": {byteOrderMark + mail, "a.txt"},
		"UTF-16": {wide(mail, binary.LittleEndian, "\xff\xfe"), "a.txt"}, "without a sender, by its name": {strings.TrimPrefix(mail, "From: a@example.org\n"), "a.eml"},
	} {
		format, d := readNamed(t, c.body, c.name)
		if format != corpus.ContentEmail || !strings.HasSuffix(d.Text, "It melts.") {
			t.Errorf("%s: got %s and %q", name, format, d.Text)
		}
	}
}

// TestMailWithABrokenPart has the other parts read.
func TestMailWithABrokenPart(t *testing.T) {
	_, d := readNamed(t, mailOf("Content-Type: text/plain\n\nIt melts.", "Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n!!!!", "Content-Type: text/plain\n\nThe end."), "a.eml")
	if !strings.Contains(d.Text, "It melts.") || !strings.Contains(d.Text, "The end.") || len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], "is broken") {
		t.Errorf("got %q with %q", d.Text, d.Warnings)
	}
}

// TestMailPreparesPDFium compiles PDFium before the time of a mail begins to count.
func TestMailPreparesPDFium(t *testing.T) {
	for body, want := range map[string]bool{"Content-Type: application/pdf": true, "filename=\"a.PDF\"": true, "JVBERi0xLjQ": true, "It melts.": false} {
		if mentionsPDF([]byte(body)) != want {
			t.Errorf("%q: want %v", body, want)
		}
	}
}

func FuzzMailbox(f *testing.F) {
	f.Add("From a Sat\nFrom: a@b\nDate: x\n\nIt melts.\n\nFrom a Sat\nFrom: a@b\nDate: x\n\nIt melts.\n")
	f.Add("From a\n\nFrom b\nX: y\n\n>From c")
	f.Fuzz(func(t *testing.T, body string) {
		all := ""
		for _, m := range messagesOf([]byte(body), maxMessages) {
			all += string(m)
		}
		if all != body {
			t.Errorf("%q was cut into %q", body, all)
		}
		r := NewReader()
		d, err := r.readMailbox(t.Context(), []byte(body), maxAttached)
		if kappa.ErrorCode(err) != kappa.CodeUnsupported {
			checkRead(t, d, err)
		}
	})
}
