package demo

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/documents"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// document is a document of the demo and its job.
type document struct {
	path string // as it is shown
	body []byte
	hash string // names it in the graph
	job  work.Job
}

// readDocuments reads the files and the texts of the directories: README.md
// and docs/ of this directory when none are given.
func readDocuments(paths []string) ([]document, error) {
	meant := documents.Selection{Include: documents.DefaultPatterns(), Depth: documents.AnyDepth}
	if len(paths) == 0 {
		for _, path := range []string{"README.md", "docs"} {
			if _, err := os.Stat(path); err == nil {
				paths = append(paths, path)
			}
		}
	}
	if len(paths) == 0 {
		return nil, &exit.Error{
			Code: exit.Misused, Err: errors.New("there is neither README.md nor docs/ here"),
			Hint: "give the files or directories to read: kg demo PATH...",
		}
	}
	var files []string
	for _, path := range paths {
		stat, err := os.Stat(path)
		if err != nil {
			return nil, &exit.Error{Code: exit.NotFound, Err: fmt.Errorf("read the documents: %w", err)}
		}
		if !stat.IsDir() {
			files = append(files, path)
			continue
		}
		found, _, err := documents.Find(path, meant)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return openDocuments(files)
}

// openDocuments reads files, each document once and without the empty ones.
func openDocuments(files []string) ([]document, error) {
	var list []document
	for _, path := range files {
		d, err := documents.Read(client.Document{}, path)
		if err != nil {
			return nil, err
		}
		one := document{path: filepath.ToSlash(path), body: d.Body, hash: corpus.ContentHash(d.Body)}
		known := slices.ContainsFunc(list, func(d document) bool { return d.hash == one.hash })
		if !known && len(bytes.TrimSpace(d.Body)) > 0 {
			list = append(list, one)
		}
	}
	switch {
	case len(list) == 0:
		return nil, &exit.Error{Code: exit.Misused, Err: errors.New("there is no text to read in the given places")}
	case len(list) > mostDocuments:
		return nil, exit.Usage("the demo reads at most %d documents, got %d: give fewer", mostDocuments, len(list))
	}
	return list, nil
}

// place says where a quote stands in the file as an editor wants it, path and
// line; ok is false when the file has something else there.
func (d document) place(e knowledge.Evidence) (where string, ok bool) {
	if e.DocumentID != d.hash || e.Start < 0 || e.Start >= e.End || e.End > len(d.body) {
		return "", false
	}
	if string(d.body[e.Start:e.End]) != e.Quote {
		return "", false
	}
	return fmt.Sprintf("%s:%d", d.path, 1+bytes.Count(d.body[:e.Start], []byte("\n"))), true
}
