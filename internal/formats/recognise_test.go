package formats

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

func TestRecogniseAccepts(t *testing.T) {
	tests := map[string]struct {
		body, filename, declared string
		want                     corpus.ContentType
	}{
		"plain text":                    {"Water boils.", "notes.txt", "text/plain", corpus.ContentPlain},
		"Markdown by its name":          {"# Water", "Notes.MD", "", corpus.ContentMarkdown},
		"Markdown as declared":          {"# Water", "uploaded_document", "text/markdown; charset=utf-8", corpus.ContentMarkdown},
		"a name without extension":      {"# Water", "README", "application/octet-stream", corpus.ContentPlain},
		"a byte order mark":             {byteOrderMark + "Water boils.", "a.txt", "", corpus.ContentPlain},
		"source code":                   {"package main\n\nfunc main() {}\n", "main.go", "", corpus.SourceCode("Go")},
		"source code without a name":    {"package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println()\n}\n", "", "", corpus.SourceCode("Go")},
		"a script":                      {"#!/usr/bin/env python3\nprint(1)\n", "boil", "", corpus.SourceCode("Python")},
		"prose with the name of code":   {"Water boils at 100 degrees.\nIt freezes at 0.\n", "water.go", "", corpus.ContentPlain},
		"JSON":                          {`{"water": "boils"}`, "a.txt", "", corpus.ContentJSON},
		"lines of JSON":                 {"{\"a\": 1}\n{\"a\": 2}\n", "a.txt", "", corpus.ContentJSON},
		"text in brackets":              {"[Water] boils.", "a.json", "application/json", corpus.ContentPlain},
		"CSV by its name":               {"a,b\n1,2\n", "a.csv", "", corpus.ContentCSV},
		"CSV as declared":               {"a;b\n1;2\n", "a", "text/csv; charset=utf-8", corpus.ContentCSV},
		"CSV by its rows":               {"glacier,country,length\nAletsch,CH,22\nGorner,CH,12\nFiesch,CH,14\n", "a.txt", "", corpus.ContentCSV},
		"prose with commas":             {"Water, ice, snow.\nRain, hail, sleet.\nFog, mist, dew.\nSea, lake, pond.\n", "a.txt", "", corpus.ContentPlain},
		"one line with the name":        {"Water boils, and ice melts.", "a.csv", "", corpus.ContentPlain},
		"a log":                         {strings.Repeat("2026-01-31T12:00:00Z INFO lane started\n", 5), "a.txt", "", corpus.ContentLog},
		"an access log":                 {strings.Repeat("192.0.2.1 - - [31/Jan/2026:12:00:00 +0000] \"GET / HTTP/1.1\" 200 5\n", 5), "a.txt", "", corpus.ContentLog},
		"a diary":                       {strings.Repeat("2026-01-31\nWater boils.\nIce melts.\n", 5), "a.txt", "", corpus.ContentPlain},
		"an e-mail":                     {"Received: by x\r\nFrom: a@example.org\r\nSubject: ice\r\n\r\nIt melts.\r\n", "a.txt", "", corpus.ContentEmail},
		"an e-mail of a mailbox":        {"From a@example.org Sat Jan 31\nFrom: a@example.org\nDate: Sat, 31 Jan 2026 12:00:00 +0000\n\nIt melts.\n", "a.txt", "", corpus.ContentEmail},
		"a memo":                        {"From: the board\nSubject: ice\n\nIt melts.\n", "a.txt", "", corpus.ContentPlain},
		"Excel":                         {archive(map[string]string{xlsxBody: "<workbook/>"}), "a.txt", "", corpus.ContentXLSX},
		"a book":                        {archive(map[string]string{epubContainer: "<container/>"}), "a.txt", "", corpus.ContentEPUB},
		"UTF-16 with its mark":          {wide("Water boils.", binary.LittleEndian, "\xff\xfe"), "a.txt", "", corpus.ContentPlain},
		"UTF-16 without its mark":       {wide("Water boils.", binary.BigEndian, ""), "a.txt", "", corpus.ContentPlain},
		"a table in UTF-16":             {wide("a,b\n1,2\n", binary.LittleEndian, "\xff\xfe"), "a.csv", "", corpus.ContentCSV},
		"Windows-1252":                  {german, "a.txt", "", corpus.ContentPlain},
		"HTML":                          {"<!DOCTYPE html><p>Water</p>", "a.txt", "text/plain", corpus.ContentHTML},
		"HTML after comments":           {byteOrderMark + "\n<?xml version='1.0'?><!-- a > b -->\n<HTML\nlang=en><p>Water</p>", "a.txt", "", corpus.ContentHTML},
		"HTML in Markdown":              {"<html><p>Water</p>", "a.md", "text/plain", corpus.ContentMarkdown},
		"text about HTML":               {"<p>Water</p> is how it is written.", "a.go", "", corpus.ContentPlain},
		"a part of a page, by its name": {"Water <b>boils</b>.", "a.html", "", corpus.ContentHTML},
		"a part of a page":              {"<div><p>Water</p></div>", "a.txt", "", corpus.ContentHTML},
		"half a PDF":                    {"\n%PDF-1.4\n1 0 obj\n<< >>\nendobj\n", "a.txt", "", corpus.ContentPDF},
		"text with the name of HTML":    {"<htmlwater", "a.html", "text/html", corpus.ContentPlain},
		"PDF":                           {"%PDF-1.4\n1 0 obj\n", "a.txt", "text/plain", corpus.ContentPDF},
		"Word":                          {archive(map[string]string{docxBody: "<document/>"}), "a.txt", "", corpus.ContentDOCX},
		"text that begins like bitmap":  {"BM is short for a body mass of something.", "a.txt", "", corpus.ContentPlain},
		"text that begins like a zip":   {"PK\x03\x04 is how zip files begin.", "a.txt", "", corpus.ContentPlain},
		"a PNG":                         {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "a.txt", "text/plain", corpus.ContentPNG},
		"a JPEG":                        {"\xff\xd8\xff\xe0\x00\x10JFIF\x00", "a.txt", "", corpus.ContentJPEG},
		"a GIF":                         {"GIF89a\x01\x00\x01\x00\x80", "a.txt", "", corpus.ContentGIF},
		"a WebP":                        {"RIFF\x24\x00\x00\x00WEBPVP8 ", "a.txt", "", corpus.ContentWebP},
		"text that begins like a GIF":   {"GIF89a is a format.", "a.txt", "", corpus.ContentPlain},
		"Chinese":                       {"水在一百度沸腾。", "a.txt", "", corpus.ContentPlain},
		"one character":                 {"x", "a.txt", "", corpus.ContentPlain},
		"a wrong declaration":           {"Water boils.", "a.txt", "application/pdf", corpus.ContentPlain},
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

// german and polish are texts in encodings of one byte for each character.
const (
	german = "Ein Gletscher ist ein Strom aus Eis, der sich unter seinem eigenen Gewicht bewegt. Das Eis flie\xdft in das Tal und wird dort zu Wasser \x96 f\xfcr die Menschen, die es trinken."
	polish = "Lodowiec to rzeka lodu, kt\xf3ra porusza si\xea pod w\xb3asnym ci\xea\xbfarem. Gdy \xb6nieg z wielu zim jest \xb6ciskany, to staje si\xea lodem, a l\xf3d nie stoi w miejscu i p\xb3ynie do doliny."
)

func TestRecogniseRefuses(t *testing.T) {
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
		"half a UTF-16":            {wide("Water boils.", binary.LittleEndian, "\xff\xfe") + strings.Repeat("\x00\xd8", 9), kappa.CodeMalformed, []string{"UTF-16", "iconv -f UTF-16 -t UTF-8"}},
		"Windows-1251":             {"\xcb\xe5\xe4\xed\xe8\xea \xe8 \xe2\xee\xe4\xe0 \xed\xe0 \xe3\xee\xf0\xe5", kappa.CodeMalformed, []string{"not valid UTF-8"}},
		"German with broken UTF-8": {german + "\xc3\xa4", kappa.CodeMalformed, []string{"not valid UTF-8", "0xDF"}},
		"a little Polish":          {polish[20:40], kappa.CodeMalformed, []string{"not valid UTF-8"}},
		"a bitmap":                 {"BM\x3a\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00", kappa.CodeUnsupported, []string{"image/bmp", `"notes.txt"`}},
		"a program":                {elf, kappa.CodeUnsupported, []string{"application/x-"}},
		"an archive cut short":     {zip, kappa.CodeMalformed, []string{"application/zip", "end is missing"}},
		"a docx cut short":         {archive(map[string]string{docxBody: "<document/>"})[:60] + "\xff", kappa.CodeMalformed, []string{"a Word document (docx)", "end is missing"}},
		"an empty archive":         {archive(nil), kappa.CodeUnsupported, []string{"application/zip"}},
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
			if contentType != corpus.ContentPlain && contentType != corpus.ContentMarkdown {
				return // a format of bytes
			}
			if text, _, err := decode(body); err != nil || bytes.IndexByte(text, 0) >= 0 || invalidOffset(text) >= 0 {
				t.Errorf("accepted %q", body)
			}
		default:
			t.Errorf("unexpected error %v", err)
		}
	})
}
