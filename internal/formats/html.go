package formats

import (
	"bytes"
	"context"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"github.com/kappagraph/kappa/corpus"
)

// maxHTMLBytes is the largest page that is read. What is made of it takes many
// times its size in memory.
const maxHTMLBytes = 8 << 20

// isHTML reports whether body begins as a page does: with a document type or the
// element html, after nothing but comments. Text that has HTML in it is text.
func isHTML(body []byte) bool {
	rest := afterProlog(body)
	return startsTag(rest, "<!doctype html") || startsTag(rest, "<html")
}

// isHTMLFragment reports whether body is a part of a page: it begins with an element that has
// an end, or has an element and is called a page.
func isHTMLFragment(body []byte, filename, declared string) bool {
	named := declaredType(declared) == string(corpus.ContentHTML)
	switch extension(filename) {
	case ".html", ".htm", ".xhtml", ".shtml":
		named = true
	case "", ".txt", ".text":
	default:
		return false // text about pages, or a program that writes them
	}
	const head = 64 << 10
	body = body[:min(len(body), head)]
	if named {
		return closingTag.Match(body) || startsElement(afterProlog(body))
	}
	return startsElement(afterProlog(body)) && closingTag.Match(body)
}

var (
	openingTag = regexp.MustCompile(`^(?i)<(?:head|title|meta|link|body|div|p|h[1-6]|table|ul|ol|dl|section|article|main|header|footer|nav|aside|center|font|blockquote|pre|form)(?:\s[^<>]*)?/?>`)
	closingTag = regexp.MustCompile(`(?i)</(?:head|title|body|div|p|h[1-6]|table|tr|td|ul|ol|li|dl|dd|dt|section|article|main|header|footer|nav|aside|center|font|blockquote|pre|form|a|b|i|em|strong|span|code)\s*>`)
)

func startsElement(body []byte) bool { return openingTag.Match(body) }

// afterProlog returns what stands in a page after comments and the declaration of XML, or nothing
// if those do not end.
func afterProlog(body []byte) []byte {
	const head = 16 << 10
	rest := bytes.TrimPrefix(body[:min(len(body), head)], []byte(byteOrderMark))
	for {
		rest = bytes.TrimLeft(rest, " \t\r\n\f")
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")):
			_, after, closed := bytes.Cut(rest, []byte("-->"))
			if !closed {
				return nil
			}
			rest = after
		case bytes.HasPrefix(rest, []byte("<?xml")):
			_, after, closed := bytes.Cut(rest, []byte("?>"))
			if !closed {
				return nil
			}
			rest = after
		default:
			return rest
		}
	}
}

// startsTag reports whether s begins with the tag, in letters of any case.
func startsTag(s []byte, tag string) bool {
	if len(s) <= len(tag) || !bytes.EqualFold(s[:len(tag)], []byte(tag)) {
		return false
	}
	return strings.IndexByte("> \t\r\n\f", s[len(tag)]) >= 0
}

// readHTML makes Markdown of a page: headings, paragraphs, lists and tables. Scripts, styles and
// controls are left out; menus and what else stands around the text are places of their own.
func readHTML(ctx context.Context, body []byte) (corpus.DocumentText, error) {
	root, warnings, err := parseHTML(body)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	headByTitle(root)
	markRegions(root)
	text, err := markdownOf(ctx, root)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	text, places := unmarkRegions(storable(text))
	return corpus.DocumentText{Text: text, Markup: corpus.ContentMarkdown, Warnings: warnings, Places: places}, nil
}

// htmlText returns the text of a page that is a part of a document: a chapter, or a mail.
func htmlText(ctx context.Context, body []byte) (corpus.DocumentText, error) {
	root, warnings, err := parseHTML(body)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	text, err := markdownOf(ctx, root)
	return corpus.DocumentText{Text: text, Markup: corpus.ContentMarkdown, Warnings: warnings}, err
}

// parseHTML returns the elements of a page, and how it was decoded.
func parseHTML(body []byte) (*html.Node, []string, error) {
	if len(body) > maxHTMLBytes {
		return nil, nil, malformed("The page has %s; at most %d MB of HTML are read. Split it into smaller ones.", corpus.HumanSize(len(body)), maxHTMLBytes>>20)
	}
	body, warnings, err := decodeHTML(body)
	if err != nil {
		return nil, nil, err
	}
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return nil, nil, malformed("The page cannot be read: %v.", err)
	}
	describePictures(root)
	return root, warnings, nil
}

// metaCharset finds what the meta element of a page says that it is encoded in.
var metaCharset = regexp.MustCompile(`(?i)<meta[^>]*charset\s*=\s*["']?([\w:.-]+)`)

// decodeHTML returns a page in UTF-8: as it is, or decoded as its meta element says.
func decodeHTML(body []byte) ([]byte, []string, error) {
	if name, _ := wideEncoding(body); name != "" {
		decoded, said, err := decode(body)
		return decoded, []string{said}, err
	}
	if invalidOffset(body) < 0 {
		return bytes.TrimPrefix(body, []byte(byteOrderMark)), nil, nil
	}
	const head = 1024 // within which a page must say it
	if label := metaCharset.FindSubmatch(body[:min(len(body), head)]); label != nil {
		if encoding, name := charset.Lookup(string(label[1])); encoding != nil && name != "utf-8" {
			decoded, err := encoding.NewDecoder().Bytes(body)
			if err != nil {
				return nil, nil, malformed("The page says that it is encoded in %s, and is not: %v.", name, err)
			}
			return decoded, []string{"Read as " + name + ", as the page says"}, nil
		}
	}
	if decoded, said, ok := mostlyUTF8(body); ok {
		return decoded, []string{said}, nil
	}
	words := pageTags.ReplaceAll(body, []byte(" ")) // tags are English, whatever the page is in
	if from, said := guessed(words); from != nil {
		if decoded, err := from.NewDecoder().Bytes(body); err == nil {
			return decoded, []string{said}, nil
		}
	}
	return nil, nil, malformed("The page is not valid UTF-8, at byte %d, and does not name another encoding. Convert it first, for example with: iconv -f %s -t UTF-8 FILE", invalidOffset(body), likelyCharset(words))
}

// pageTags are the tags of a page, with what is in those that hold no words.
var pageTags = regexp.MustCompile(`(?is)<script\b.*?</script>|<style\b.*?</style>|<!--.*?-->|<[^<>]*>`)
