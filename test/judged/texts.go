package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// text is one that relationships are drawn from.
type text struct{ kind, id, body string }

// mostBytes is how much of a text is read.
const mostBytes = 20_000

// readTexts reads what a folder has: articles of SQuAD, messages, weblogs and reviews of the English
// Web Treebank, abstracts of Inspec, documentation and licences.
func readTexts(dir string) ([]text, error) {
	var out []text
	for _, read := range []func(string) ([]text, error){articles, messages, abstracts, documentation, licences} {
		list, err := read(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		out = append(out, list...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has none of the texts", dir)
	}
	return out, nil
}

// articles reads those of SQuAD, four paragraphs at once.
func articles(dir string) ([]text, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "squad2-20-articles.json"))
	if err != nil {
		return nil, err
	}
	var file struct {
		Data []struct {
			Title      string `json:"title"`
			Paragraphs []struct {
				Context string `json:"context"`
			} `json:"paragraphs"`
		} `json:"data"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("the articles: %w", err)
	}
	var out []text
	for _, a := range file.Data {
		for i := 0; i < len(a.Paragraphs); i += 4 {
			var b []string
			for _, p := range a.Paragraphs[i:min(i+4, len(a.Paragraphs))] {
				b = append(b, p.Context)
			}
			out = append(out, text{"encyclopaedia", fmt.Sprintf("%s/%d", a.Title, i), strings.Join(b, "\n\n")})
		}
	}
	return out, nil
}

// messages reads the e-mails, newsgroups, weblogs, answers and reviews of a treebank.
func messages(dir string) ([]text, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "test.conllu"))
	if err != nil {
		return nil, err
	}
	var out []text
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		if id, ok := strings.CutPrefix(line, "# newdoc id = "); ok {
			kind, _, _ := strings.Cut(id, "-")
			if kind == "email" || kind == "newsgroup" {
				kind = "e-mail, newsgroups"
			}
			out = append(out, text{kind: kind, id: id})
		}
		if len(out) == 0 {
			continue
		}
		at := &out[len(out)-1]
		if strings.HasPrefix(line, "# newpar") && at.body != "" {
			at.body += "\n\n"
		}
		if s, ok := strings.CutPrefix(line, "# text = "); ok {
			at.body += s + " "
		}
	}
	return out, nil
}

// abstracts reads those of Inspec.
func abstracts(dir string) ([]text, error) {
	return files(filepath.Join(dir, "inspec"), "scientific", func(path string) bool {
		return strings.HasSuffix(path, ".abstr") || strings.Contains(path, "docs") && strings.HasSuffix(path, ".txt")
	})
}

// documentation reads what programs have with them.
func documentation(dir string) ([]text, error) {
	return files(filepath.Join(dir, "docs"), "technical manual", func(string) bool { return true })
}

// licences reads texts of law.
func licences(dir string) ([]text, error) {
	return files(filepath.Join(dir, "licences"), "law", func(string) bool { return true })
}

// files reads those of a folder and of all in it.
func files(dir, kind string, takes func(path string) bool) ([]text, error) {
	var out []text
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !takes(path) {
			return err
		}
		body, err := read(path)
		if err != nil || !utf8.ValidString(body) {
			return err
		}
		id, err := filepath.Rel(dir, path)
		out = append(out, text{kind, id, body})
		return err
	})
	return out, err
}

// read reads the start of a file, which may be compressed.
func read(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	var from io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if from, err = gzip.NewReader(file); err != nil {
			return "", err
		}
	}
	raw, err := io.ReadAll(io.LimitReader(from, mostBytes))
	if len(raw) == mostBytes {
		raw = raw[:max(bytes.LastIndexByte(raw, '\n'), 0)]
	}
	return string(raw), err
}
