package formats

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

// mailOf is an e-mail of parts, each of which begins with its header.
func mailOf(parts ...string) string {
	head := "Return-Path: <ada@example.org>\nFrom: =?utf-8?q?Ada_L=C3=B6we?= <ada@example.org>\nTo: Bob <bob@example.org>, carl@example.org\n" +
		"Date: Sat, 31 Jan 2026 12:00:00 +0000\nSubject: =?iso-8859-1?Q?Gr=FC=DFe?= from\n the ice\nMIME-Version: 1.0\n"
	if len(parts) == 1 {
		return head + parts[0]
	}
	return head + "Content-Type: multipart/mixed; boundary=b\n\n--b\n" + strings.Join(parts, "\n--b\n") + "\n--b--\n"
}

// attached is a part with a file.
func attached(name, kind, body string) string {
	return fmt.Sprintf("Content-Type: %s\nContent-Disposition: attachment; filename=\"%s\"\nContent-Transfer-Encoding: base64\n\n%s", kind, name, base64.StdEncoding.EncodeToString([]byte(body)))
}

const head = "# Grüße from the ice\n\nFrom: Ada Löwe\n\nTo: Bob, carl@example.org\n\nDate: Sat, 31 Jan 2026 12:00:00 +0000\n\n"

func TestEmail(t *testing.T) {
	for name, c := range map[string]struct{ body, text, warns string }{
		"text":             {mailOf("\nIt melts."), "It melts.", ""},
		"quoted-printable": {mailOf("Content-Type: text/plain; charset=windows-1252\nContent-Transfer-Encoding: quoted-printable\n\nIt is caf=E9 =\nweather."), "It is café weather.", ""},
		"a page":           {mailOf("Content-Type: text/html; charset=utf-8\n\n<html><p>It <b>melts</b>.</p></html>"), "It melts.", ""},
		"alternatives": {
			mailOf("Content-Type: multipart/alternative; boundary=c\n\n--c\nContent-Type: text/plain\n\nIt melts.\n--c\nContent-Type: text/html\n\n<p>Not twice.</p>\n--c--"), "It melts.", "",
		},
		"attachments": {
			mailOf("Content-Type: text/plain\n\nSee below.", attached("ice.html", "text/html", "<html><h1>Ice</h1><p>It is cold.</p></html>"), attached("a.bin", "application/x-ice", "\x7fELF\x02\x01\x01\x00\x00\x00\x00")),
			"See below.\n\n## Attachment: ice.html\n\n### Ice\n\nIt is cold.", `Attachment "a.bin" (application/x-ice, 11 B) is not read`,
		},
		"an e-mail in an e-mail": {
			mailOf("Content-Type: text/plain\n\nSee below.", "Content-Type: message/rfc822\n\n"+mailOf("\nIt melts.")),
			"See below.\n\n## Attachment: without a name\n\n##" + head + "It melts.", "",
		},
		"an unknown charset": {mailOf("Content-Type: text/plain; charset=martian\n\nIt melts."), "It melts.", ""},
	} {
		format, d := readNamed(t, c.body, "a.txt")
		if format != corpus.ContentEmail || d.Text != head+c.text || !strings.HasPrefix(strings.Join(d.Warnings, ";"), c.warns) || (c.warns == "") != (len(d.Warnings) == 0) {
			t.Errorf("%s: got %s, %q with %q, want %q", name, format, d.Text, d.Warnings, head+c.text)
		}
	}
}

// TestMalformedHeader has headers that are not as the standard wants them: the message is read, and
// what was wrong is said.
func TestMalformedHeader(t *testing.T) {
	for name, c := range map[string]struct{ body, want, warns string }{
		"a line broken without a space":  {"From: ada@example.org\nSubject: The ice\nmelts\nDate: x\n\nIt is warm.", "# The ice melts\n\nFrom: ada@example.org\n\nDate: x\n\nIt is warm.", "read as a part of the one before it: melts"},
		"no blank line before the text":  {"From: ada@example.org\nSubject: Ice\nIt is warm: very.\nIt melts.\n\nBye.", "# Ice\n\nFrom: ada@example.org\n\nIt is warm: very.\nIt melts.\n\nBye.", "does not end"},
		"a name that is none":            {"From: ada@example.org\nFr\u043em: eve@example.org\n continued\nSubject: Ice\n\nIt melts.", "# Ice\n\nFrom: ada@example.org\n\nIt melts.", "is not read: Fr\u043em: eve@example.org"},
		"a first line that goes nowhere": {"From x\n folded\nFrom: ada@example.org\nSubject: Ice\n\nIt melts.", "# Ice\n\nFrom: ada@example.org\n\nIt melts.", "is not read: folded"},
	} {
		format, d := readNamed(t, c.body, "a.eml")
		if format != corpus.ContentEmail || d.Text != c.want || !strings.Contains(strings.Join(d.Warnings, ";"), c.warns) {
			t.Errorf("%s: got %s, %q with %q, want %q", name, format, d.Text, d.Warnings, c.want)
		}
	}
}

func TestEmailHostile(t *testing.T) {
	nested := "\nIt melts."
	for range 10 {
		nested = mailOf("Content-Type: text/plain\n\nBelow.", "Content-Type: message/rfc822\n\n"+strings.ReplaceAll(mailOf(nested), "=b\n", "=b1\n"))
	}
	deep := "Content-Type: text/plain\n\nIt melts."
	for i := range 200 {
		deep = fmt.Sprintf("Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n%s\n--b%d--", i, i, deep, i)
	}
	for name, body := range map[string]string{
		"nested e-mails": nested, "deep parts": mailOf(deep), "many parts": mailOf(strings.Repeat("Content-Type: text/plain\n\nx\n--b\n", 5000), "\nx"),
		"without an end": mailOf("Content-Type: multipart/mixed; boundary=c\n\n--c\n\nIt melts."),
		"one word":       mailOf("\n" + strings.Repeat("melt", 1<<20)),
	} {
		d, err := read(t, body)
		if err != nil && kappa.ErrorCode(err) != kappa.CodeMalformed || len(d.Text) > 2*len(body) {
			t.Errorf("%s: got %d bytes and %v", name, len(d.Text), err)
		}
		t.Logf("%s: %d bytes, %q, %v", name, len(d.Text), d.Warnings, err)
	}
}

// FuzzEmail has messages whose headers may be anything.
func FuzzEmail(f *testing.F) {
	f.Add("From: a@b\nDate: x\n\nIt melts.")
	f.Add("From: a@b\nSubject: ice\nmelts\n folded\nX y: z\n\nIt melts.")
	f.Add(" x\nFrom: a@b\nContent-Type: multipart/mixed; boundary=b\n\n--b\nbroken\n\n--b--")
	f.Fuzz(func(t *testing.T, body string) {
		mended, _ := mendedHeader([]byte(body))
		for _, line := range headerLines(mended) {
			if !isField(line) && line[0] != ' ' && line[0] != '\t' {
				t.Errorf("%q became %q, in which %q is no field", body, mended, line)
			}
		}
		d, err := NewReader().readEmail(t.Context(), []byte(body), maxAttached)
		if kappa.ErrorCode(err) != kappa.CodeUnsupported {
			checkRead(t, d, err)
		}
	})
}
