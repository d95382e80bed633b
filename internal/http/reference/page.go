package reference

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// style is the style sheet of the page.
//
//go:embed page.css
var style string

// prose makes HTML of Markdown; what is HTML in it is left out.
var prose = goldmark.New(goldmark.WithExtensions(extension.Table))

// page is the page of a reference, as far as it is written. It is written by hand: with the
// templates of the standard library a program keeps every method that a template might call,
// which makes kg a sixth larger.
type page struct{ bytes.Buffer }

// put writes HTML, in which each %s stands for a text that is escaped.
func (p *page) put(format string, texts ...string) {
	escaped := make([]any, len(texts))
	for i, text := range texts {
		escaped[i] = html.EscapeString(text)
	}
	fmt.Fprintf(p, format, escaped...)
}

// render returns the page of an OpenAPI document.
func render(document []byte) ([]byte, error) {
	r, err := Read(document)
	if err != nil {
		return nil, err
	}
	p := &page{}
	p.head(r)
	for _, tag := range r.Tags {
		if err := p.tag(tag); err != nil {
			return nil, err
		}
	}
	p.schemas(r.Schemas)
	p.put("</body>\n</html>\n")
	return p.Bytes(), nil
}

func (p *page) head(r Reference) {
	p.put(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s API</title>
<style>
`, r.Title)
	p.WriteString(style)
	p.put(`</style>
</head>
<body>
<h1>%s API <small>%s</small></h1>
<p>%s This page is made from <a href="openapi.json">openapi.json</a>. Answers that are not a success are problem documents (RFC 9457): <a href="#schema-Problem"><code>Problem</code></a>.</p>
<nav>`, r.Title, r.Version, r.Description)
	for _, tag := range r.Tags {
		if len(tag.Operations) > 0 {
			p.put(`<a href="#%s">%s</a> `, tag.Name, tag.Name)
		}
	}
	p.put("<a href=\"#schemas\">schemas</a></nav>\n")
}

func (p *page) tag(tag Tag) error {
	if len(tag.Operations) == 0 {
		return nil
	}
	p.put("<h2 id=\"%s\">%s</h2>\n<p>%s</p>\n", tag.Name, tag.Name, tag.Description)
	for _, op := range tag.Operations {
		if err := p.operation(op); err != nil {
			return err
		}
	}
	return nil
}

func (p *page) operation(op Operation) error {
	p.put("<details id=\"%s\"><summary><b>%s</b> <code>%s</code> %s</summary><div>\n", op.ID, op.Method, op.Path, op.Summary)
	switch op.Permission {
	case "public":
		p.put("<p>Public.</p>\n")
	case "user":
		p.put("<p>For every user.</p>\n")
	default:
		p.put("<p>Permission <code>%s</code>.</p>\n", op.Permission)
	}
	if err := prose.Convert([]byte(op.Description), p); err != nil {
		return fmt.Errorf("describe %s: %w", op.ID, err)
	}
	if len(op.Parameters) > 0 {
		p.members(op.Parameters)
	}
	for _, body := range op.Bodies {
		p.put("<p>Body <code>%s</code>: ", body.ContentType)
		p.typ(body.Type)
		p.put("</p>\n")
	}
	for _, answer := range op.Answers {
		p.put("<p>%s %s", answer.Status, answer.Description)
		for _, content := range answer.Contents {
			p.put(" <code>%s</code>: ", content.ContentType)
			p.typ(content.Type)
		}
		p.put("</p>\n")
	}
	p.put("</div></details>\n")
	return nil
}

func (p *page) members(list []Member) {
	p.put("<table><tr><th>Name</th><th>Type</th><th>Meaning</th></tr>\n")
	for _, m := range list {
		p.put("<tr><td><code>%s</code>", m.Name)
		if m.In != "" {
			p.put(" <small>%s</small>", m.In)
		}
		p.put("</td><td>")
		p.typ(m.Type)
		if m.Required {
			p.put(", required")
		}
		if m.Default != "" {
			p.put(", default <code>%s</code>", m.Default)
		}
		p.put("</td><td>%s</td></tr>\n", m.Description)
	}
	p.put("</table>\n")
}

func (p *page) typ(t Type) {
	p.put("%s", t.Before)
	if t.Name != "" {
		p.put(`<a href="#schema-%s"><code>%s</code></a>`, t.Name, t.Name)
	}
	p.put("%s", t.After)
}

func (p *page) schemas(list []Schema) {
	p.put("<h2 id=\"schemas\">schemas</h2>\n")
	for _, s := range list {
		p.put("<details id=\"schema-%s\"><summary><code>%s</code></summary><div>", s.Name, s.Name)
		if len(s.Members) > 0 {
			p.members(s.Members)
		} else {
			p.typ(s.Type)
		}
		p.put("</div></details>\n")
	}
}
