package formats

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/kappagraph/kappa"
)

func TestRecogniseAccepts(t *testing.T) {
	tests := map[string]struct {
		body, filename, declared string
		want                     kappa.ContentType
	}{
		"plain text":                   {"Water boils.", "notes.txt", "text/plain", kappa.ContentPlain},
		"Markdown by its name":         {"# Water", "Notes.MD", "", kappa.ContentMarkdown},
		"Markdown as declared":         {"# Water", "uploaded_document", "text/markdown; charset=utf-8", kappa.ContentMarkdown},
		"a name without extension":     {"# Water", "README", "application/octet-stream", kappa.ContentPlain},
		"a byte order mark":            {byteOrderMark + "Water boils.", "a.txt", "", kappa.ContentPlain},
		"source code":                  {"package main\n\nfunc main() {}\n", "main.go", "", kappa.ContentPlain},
		"JSON":                         {`{"water": "boils"}`, "a.json", "application/json", kappa.ContentPlain},
		"CSV":                          {"a,b\n1,2\n", "a.csv", "text/csv", kappa.ContentPlain},
		"HTML":                         {"<!DOCTYPE html><p>Water</p>", "a.txt", "text/plain", kappa.ContentHTML},
		"HTML after comments":          {byteOrderMark + "\n<?xml version='1.0'?><!-- a > b -->\n<HTML\nlang=en><p>Water</p>", "a.txt", "", kappa.ContentHTML},
		"HTML in Markdown":             {"<html><p>Water</p>", "a.md", "text/plain", kappa.ContentMarkdown},
		"text about HTML":              {"<p>Water</p> is how it is written.", "a.html", "text/html", kappa.ContentPlain},
		"text with the name of HTML":   {"<htmlwater", "a.html", "text/html", kappa.ContentPlain},
		"PDF":                          {"%PDF-1.4\n1 0 obj\n", "a.txt", "text/plain", kappa.ContentPDF},
		"Word":                         {archive(map[string]string{docxBody: "<document/>"}), "a.txt", "", kappa.ContentDOCX},
		"text that begins like bitmap": {"BM is short for a body mass of something.", "a.txt", "", kappa.ContentPlain},
		"text that begins like a zip":  {"PK\x03\x04 is how zip files begin.", "a.txt", "", kappa.ContentPlain},
		"Chinese":                      {"水在一百度沸腾。", "a.txt", "", kappa.ContentPlain},
		"one character":                {"x", "a.txt", "", kappa.ContentPlain},
		"a wrong declaration":          {"Water boils.", "a.txt", "application/pdf", kappa.ContentPlain},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := NewReader().Recognise([]byte(tt.body), tt.filename, tt.declared)
			if err != nil || got != tt.want {
				t.Errorf("got %q and %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestRecogniseRefuses(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
	elf := "\x7fELF\x02\x01\x01\x00" + strings.Repeat("\x00", 8) + "\x02\x00\x3e\x00\x01\x00\x00\x00"
	zip := "PK\x03\x04\x14\x00\x00\x00\x08\x00" + strings.Repeat("\x00\xff", 20)
	tests := map[string]struct {
		body string
		code kappa.Code
		says []string // in the message
	}{
		"nothing":                  {"", kappa.CodeMalformed, []string{"empty"}},
		"white space":              {" \t\r\n\v\f", kappa.CodeMalformed, []string{"only white space"}},
		"Unicode white space":      {"\u00a0\u2003\u3000\u2029", kappa.CodeMalformed, []string{"only white space"}},
		"a lone byte order mark":   {byteOrderMark + "\n", kappa.CodeMalformed, []string{"only white space"}},
		"zero-width characters":    {"\u200b\u2060\n", kappa.CodeMalformed, []string{"only white space"}},
		"invalid UTF-8":            {"Water\nboils caf\xe9 here", kappa.CodeMalformed, []string{"not valid UTF-8", "0xE9", "offset 15", "line 2", "iconv", "UTF-8"}},
		"UTF-8 cut short":          {"Water \xe6\xb0", kappa.CodeMalformed, []string{"offset 6"}},
		"a NUL byte":               {"Water\nbo\x00ils", kappa.CodeMalformed, []string{"NUL", "offset 8", "line 2"}},
		"a NUL byte before others": {"a\x00b\xff", kappa.CodeMalformed, []string{"NUL", "offset 1"}},
		"UTF-16 little endian":     {wide("Water boils.", binary.LittleEndian, "\xff\xfe"), kappa.CodeMalformed, []string{"UTF-16", "iconv -f UTF-16 -t UTF-8"}},
		"UTF-16 big endian":        {wide("Water boils.", binary.BigEndian, "\xfe\xff"), kappa.CodeMalformed, []string{"UTF-16"}},
		"UTF-16 without its mark":  {wide("Water boils.", binary.LittleEndian, ""), kappa.CodeMalformed, []string{"UTF-16LE"}},
		"UTF-32":                   {"\xff\xfe\x00\x00W\x00\x00\x00", kappa.CodeMalformed, []string{"UTF-32"}},
		"a picture":                {png, kappa.CodeUnsupported, []string{"image/png", `"notes.txt"`}},
		"a program":                {elf, kappa.CodeUnsupported, []string{"application/x-"}},
		"an archive":               {zip, kappa.CodeUnsupported, []string{"application/zip"}},
		"an empty archive":         {archive(nil), kappa.CodeUnsupported, []string{"application/zip"}},
		"rich text":                {`{\rtf1\ansi Water}`, kappa.CodeUnsupported, []string{"text/rtf"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := NewReader().Recognise([]byte(tt.body), "notes.txt", "text/plain")
			if kappa.ErrorCode(err) != tt.code {
				t.Fatalf("got %q and %v, want the code %s", got, err, tt.code)
			}
			for _, part := range tt.says {
				if !strings.Contains(kappa.ErrorMessage(err), part) {
					t.Errorf("the message %q does not say %q", kappa.ErrorMessage(err), part)
				}
			}
		})
	}
}

// wide encodes s as UTF-16 after a byte order mark.
func wide(s string, order binary.AppendByteOrder, mark string) string {
	b := []byte(mark)
	for _, unit := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

func FuzzRecognise(f *testing.F) {
	for _, seed := range []string{"", " ", "text", "\xff\xfe", "a\x00b", "%PDF-1.4", "\x89PNG\r\n\x1a\n", byteOrderMark + "x"} {
		f.Add([]byte(seed), "a.md", "text/plain")
	}
	f.Fuzz(func(t *testing.T, body []byte, filename, declared string) {
		contentType, err := NewReader().Recognise(body, filename, declared)
		switch kappa.ErrorCode(err) {
		case kappa.CodeMalformed, kappa.CodeUnsupported:
		case "":
			if contentType != kappa.ContentPlain && contentType != kappa.ContentMarkdown {
				return // a format of bytes
			}
			if bytes.IndexByte(body, 0) >= 0 || invalidOffset(body) >= 0 {
				t.Errorf("accepted %q", body)
			}
		default:
			t.Errorf("unexpected error %v", err)
		}
	})
}
