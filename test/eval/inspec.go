package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

// readInspec reads a folder in the format of the Inspec abstracts: each text in
// name.abstr with its keyphrases in name.uncontr, separated by semicolons, or in
// name.txt with name.key, one a line. The texts may be in a folder docsutf8 or docs
// and the keyphrases in a folder keys beside it.
func readInspec(dir string) (set, error) {
	s := set{name: "inspec " + filepath.Base(dir)}
	for _, pair := range []struct{ texts, text, keys, key string }{
		{"", ".abstr", "", ".uncontr"},
		{"", ".txt", "", ".key"},
		{"docsutf8", ".txt", "keys", ".key"},
		{"docs", ".txt", "keys", ".key"},
	} {
		if pair.texts == "docs" && len(s.documents) > 0 {
			break // docs holds the same texts as docsutf8, in another encoding
		}
		texts, err := filepath.Glob(filepath.Join(dir, pair.texts, "*"+pair.text))
		if err != nil {
			return s, fmt.Errorf("%w: folder %q: %w", errInput, dir, err)
		}
		for _, file := range texts {
			name := strings.TrimSuffix(filepath.Base(file), pair.text)
			d, err := readInspecPair(file, filepath.Join(dir, pair.keys, name+pair.key))
			if err != nil {
				return s, err
			}
			s.documents = append(s.documents, d)
		}
	}
	if len(s.documents) == 0 {
		if _, err := os.Stat(dir); err != nil {
			return s, fmt.Errorf("%w: %w", errInput, err)
		}
		return s, fmt.Errorf("%w: no *.abstr or *.txt in %q, nor in a folder docsutf8 in it", errInput, dir)
	}
	return s, nil
}

// readInspecPair reads one text and its keyphrases.
func readInspecPair(textFile, keyFile string) (document, error) {
	d := document{name: filepath.Base(textFile)}
	text, err := os.ReadFile(textFile)
	if err != nil {
		return d, fmt.Errorf("%w: %w", errInput, err)
	}
	keys, err := os.ReadFile(keyFile)
	if err != nil {
		return d, fmt.Errorf("%w: %q has no keyphrases: %w", errInput, textFile, err)
	}
	d.passage = knowledge.Passage{Text: string(text), ContentType: corpus.ContentPlain}
	list := string(keys)
	if strings.HasSuffix(keyFile, ".uncontr") {
		list = strings.ReplaceAll(strings.Join(strings.Fields(list), " "), ";", "\n")
	}
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); line != "" {
			d.keyphrases = append(d.keyphrases, []string{line})
		}
	}
	if len(d.keyphrases) == 0 {
		return d, fmt.Errorf("%w: %q names no keyphrase", errInput, keyFile)
	}
	return d, nil
}
