package formats

import (
	"bytes"
	"fmt"
	"mime"
	"path"
	"strings"
	"unicode"

	"github.com/gabriel-vasile/mimetype"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

const byteOrderMark = "\uFEFF"

// Recognise decides what format a document has, or refuses the document: with
// CodeMalformed when it is empty, blank, or text in an encoding that is not certain or
// with NUL bytes, and with CodeUnsupported when it is of a format that is not read. The
// messages say how to fix it. The content decides; filename and the declared content
// type only distinguish formats that are text: Markdown, tables and source code. A
// UTF-8 byte order mark is accepted. Images are recognised too; it is not Text that reads
// them.
func (*Reader) Recognise(body []byte, filename, declared string) (corpus.ContentType, error) {
	if len(body) == 0 {
		return "", malformed("The document is empty (0 bytes). Submit a file or a text with content.")
	}
	if bytes.HasPrefix(body, []byte(zipSignature)) {
		if err := checkEntries(body); err != nil {
			return "", err
		}
	}
	if format, err := container(body); format != "" || err != nil {
		return format, err
	}
	if err := cutShort(body); err != nil {
		return "", err
	}
	if format := flatODF(body); format != "" {
		return format, nil
	}
	markdown := isMarkdown(filename, declared)
	if !markdown && isHTML(body) {
		return corpus.ContentHTML, nil
	}
	if format := mailFormat(body, filename); format != "" {
		return format, nil // its parts name their encodings
	}
	if xmlDeclared.Match(body[:min(len(body), 256)]) && isXML(body, filename, declared) {
		return corpus.ContentXML, nil // it names its encoding
	}
	text, err := checkText(body, filename)
	if err != nil {
		return "", err
	}
	if bytes.IndexFunc(text, visible) < 0 {
		return "", malformed("The document has only white space (%d bytes). Submit a file or a text with content.", len(body))
	}
	if markdown {
		return corpus.ContentMarkdown, nil
	}
	return textFormat(text, filename, declared), nil
}

// textFormat decides what format a text has.
func textFormat(text []byte, filename, declared string) corpus.ContentType {
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	if isHTML(text) {
		return corpus.ContentHTML
	}
	if format := mailFormat(text, filename); format != "" {
		return format
	}
	if isXML(text, filename, declared) {
		return corpus.ContentXML
	}
	if isJSON(text) {
		return corpus.ContentJSON
	}
	if language := markupLanguage(text, filename); language != "" {
		return corpus.MarkedUp(language)
	}
	if isHTMLFragment(text, filename, declared) {
		return corpus.ContentHTML
	}
	if isLog(text) {
		return corpus.ContentLog
	}
	if language := sourceLanguage(text, filename); language != "" {
		return corpus.SourceCode(language)
	}
	if separatorOf(text, isTableName(filename, declared)) != 0 {
		return corpus.ContentCSV
	}
	return corpus.ContentPlain
}

// checkText returns a text in UTF-8, and refuses everything else, and NUL bytes. Text
// may begin like a binary format by chance, so that valid text is refused only for
// the formats that can be written in plain characters.
func checkText(body []byte, filename string) ([]byte, error) {
	wide, _ := wideEncoding(body)
	nul := bytes.IndexByte(body, 0)
	invalid := invalidOffset(body)
	detected := mimetype.Detect(body)
	switch {
	case wide == "" && nul < 0 && invalid < 0:
		return body, nil
	case wide == "" && isBinary(detected):
		return nil, unsupported(detected.String(), filename)
	case wide == "" && nul >= 0 && (invalid < 0 || nul < invalid):
		return nil, malformed("The document has a NUL byte at offset %d (line %d); text has none. Remove it, or submit the text of the file instead of the file.",
			nul, lineAt(body, nul))
	}
	text, _, err := decode(body)
	return text, err
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

// visible reports a character that leaves a mark on paper: not white space, and
// not one that only formats, such as a byte order mark.
func visible(r rune) bool { return !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) }

func isMarkdown(filename, declared string) bool {
	switch extension(filename) {
	case ".md", ".markdown", ".mdown", ".mkd", ".mkdn", ".mdx", ".qmd", ".rmd":
		return true
	}
	kind := declaredType(declared)
	return kind == string(corpus.ContentMarkdown) || kind == "text/x-markdown"
}

func isTableName(filename, declared string) bool {
	switch extension(filename) {
	case ".csv", ".tsv", ".tab":
		return true
	}
	kind := declaredType(declared)
	return kind == string(corpus.ContentCSV) || kind == "text/tab-separated-values"
}

func extension(filename string) string { return strings.ToLower(path.Ext(filename)) }

func declaredType(declared string) string {
	kind, _, err := mime.ParseMediaType(declared)
	if err != nil {
		return ""
	}
	return kind
}

func malformed(format string, args ...any) error {
	return kappa.NewError(kappa.CodeMalformed, fmt.Sprintf(format, args...))
}

func unsupported(detected, filename string) error {
	const hint = "Kappa reads HTML, PDF, Word (docx, doc), Excel (xlsx, xls), PowerPoint (pptx, ppt), OpenDocument (odt, ods, odp), RTF, EPUB, e-mail (eml, mbox, msg), CSV, JSON, XML, AsciiDoc, reStructuredText, Org, TeX, subtitles, source code, and text; extract the text first"
	name := ""
	if filename != "" {
		name = fmt.Sprintf(", although it is named %q", filename)
	}
	return kappa.NewError(kappa.CodeUnsupported, fmt.Sprintf("The document is %s, which is not read%s. %s", detected, name, hint))
}
