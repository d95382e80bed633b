package formats

import (
	"bytes"
	"fmt"
	"mime"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"

	"github.com/kappagraph/kappa"
)

const byteOrderMark = "\uFEFF"

// Recognise decides what format a document has, or refuses the document: with
// CodeMalformed when it is empty, blank, or text that is not UTF-8 or has NUL
// bytes, and with CodeUnsupported when it is of a format that is not read. The
// messages say how to fix it. The content decides; filename and the declared
// content type only distinguish Markdown from other text. A UTF-8 byte order mark
// is accepted.
func (*Reader) Recognise(body []byte, filename, declared string) (kappa.ContentType, error) {
	if len(body) == 0 {
		return "", malformed("The document is empty (0 bytes). Submit a file or a text with content.")
	}
	if format := container(body); format != "" {
		return format, nil
	}
	markdown := isMarkdown(filename, declared)
	if !markdown && isHTML(body) {
		return kappa.ContentHTML, nil
	}
	if err := checkEncoding(body, filename); err != nil {
		return "", err
	}
	if bytes.IndexFunc(body, visible) < 0 {
		return "", malformed("The document has only white space (%d bytes). Submit a file or a text with content.", len(body))
	}
	if markdown {
		return kappa.ContentMarkdown, nil
	}
	return kappa.ContentPlain, nil
}

// checkEncoding refuses everything but UTF-8 text without NUL bytes. Text may
// begin like a binary format by chance, so that valid text is refused only for
// the formats that can be written in plain characters.
func checkEncoding(body []byte, filename string) error {
	if name := wideEncoding(body); name != "" {
		return malformed("The document is encoded in %s. Convert it to UTF-8 first, for example with: iconv -f %s -t UTF-8 FILE", name, name)
	}
	nul := bytes.IndexByte(body, 0)
	invalid := invalidOffset(body)
	detected := mimetype.Detect(body)
	if nul < 0 && invalid < 0 {
		if slices.ContainsFunc([]string{"text/rtf"}, detected.Is) {
			return unsupported(detected.String(), filename)
		}
		return nil
	}
	switch {
	case isBinary(detected):
		return unsupported(detected.String(), filename)
	case invalid >= 0 && (nul < 0 || invalid < nul):
		return malformed("The document is not valid UTF-8: byte 0x%02X at offset %d (line %d). Convert it first, for example with: iconv -f %s -t UTF-8 FILE",
			body[invalid], invalid, lineAt(body, invalid), likelyCharset(detected))
	}
	return malformed("The document has a NUL byte at offset %d (line %d); text has none. Remove it, or submit the text of the file instead of the file.",
		nul, lineAt(body, nul))
}

// wideEncoding names UTF-16 and UTF-32 by their byte order mark, and UTF-16
// without one by its zeros: in mostly Western text they are every second byte.
func wideEncoding(body []byte) string {
	for _, m := range []struct{ mark, name string }{
		{"\xFF\xFE\x00\x00", "UTF-32"},
		{"\x00\x00\xFE\xFF", "UTF-32"},
		{"\xFF\xFE", "UTF-16"},
		{"\xFE\xFF", "UTF-16"},
	} {
		if bytes.HasPrefix(body, []byte(m.mark)) {
			return m.name
		}
	}
	const sample = 1024
	head := body[:min(len(body), sample)]
	var zeros [2]int
	for i, b := range head {
		if b == 0 {
			zeros[i%2]++
		}
	}
	half := len(head) / 2
	switch {
	case half < 4: // too short to decide
		return ""
	case zeros[1] >= half*9/10 && zeros[0] <= half/10:
		return "UTF-16LE"
	case zeros[0] >= half*9/10 && zeros[1] <= half/10:
		return "UTF-16BE"
	}
	return ""
}

// invalidOffset returns where body stops being UTF-8, or -1.
func invalidOffset(body []byte) int {
	if utf8.Valid(body) {
		return -1
	}
	for i := 0; i < len(body); {
		r, size := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
	return -1
}

// isBinary reports a format that was recognised and is not text.
func isBinary(m *mimetype.MIME) bool {
	if m.Is("application/octet-stream") {
		return false
	}
	for ; m != nil; m = m.Parent() {
		if m.Is("text/plain") {
			return false
		}
	}
	return true
}

// likelyCharset guesses what a text that is not UTF-8 is encoded in, as iconv
// names it.
func likelyCharset(m *mimetype.MIME) string {
	const western = "WINDOWS-1252"
	_, params, err := mime.ParseMediaType(m.String())
	if charset := params["charset"]; err == nil && charset != "" && charset != "utf-8" {
		return strings.ToUpper(charset)
	}
	return western
}

func lineAt(body []byte, offset int) int { return bytes.Count(body[:offset], []byte("\n")) + 1 }

// visible reports a character that leaves a mark on paper: not white space, and
// not one that only formats, such as a byte order mark.
func visible(r rune) bool { return !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) }

func isMarkdown(filename, declared string) bool {
	switch strings.ToLower(path.Ext(filename)) {
	case ".md", ".markdown", ".mdown", ".mkd", ".mkdn", ".mdx", ".qmd", ".rmd":
		return true
	}
	kind, _, err := mime.ParseMediaType(declared)
	return err == nil && (kind == string(kappa.ContentMarkdown) || kind == "text/x-markdown")
}

func malformed(format string, args ...any) error {
	return kappa.NewError(kappa.CodeMalformed, fmt.Sprintf(format, args...))
}

func unsupported(detected, filename string) error {
	const hint = "Kappa reads HTML, PDF, Word (docx), and plain text and Markdown in UTF-8; extract the text first"
	name := ""
	if filename != "" {
		name = fmt.Sprintf(", although it is named %q", filename)
	}
	return kappa.NewError(kappa.CodeUnsupported, fmt.Sprintf("The document is %s, which is not read%s. %s", detected, name, hint))
}
