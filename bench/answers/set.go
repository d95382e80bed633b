package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// set is a file of questions.
type set struct {
	name     string
	articles []article
}

// article is a document, and the questions of its paragraphs.
type article struct {
	title      string
	paragraphs []string
	questions  []question
}

// question belongs to a paragraph of an article.
type question struct {
	text      string
	paragraph int
	// impossible is said of questions whose paragraph has the words and not the answer, where the
	// file tells them apart.
	impossible bool
}

// gap stands between the paragraphs of a document.
const gap = "\n\n"

// text is the document of an article.
func (a article) text() string { return strings.Join(a.paragraphs, gap) }

// filename is the name of the document of an article.
func (a article) filename() string { return a.title + ".txt" }

// span returns the bytes of a paragraph in the document.
func (a article) span(paragraph int) (start, end int) {
	for _, p := range a.paragraphs[:paragraph] {
		start += len(p) + len(gap)
	}
	return start, start + len(a.paragraphs[paragraph])
}

// squad is a file in the format of SQuAD.
type squad struct {
	Data []struct {
		Title      string
		Paragraphs []struct {
			Context string
			Qas     []struct {
				Question   string
				Impossible bool `json:"is_impossible"`
			}
		}
	}
}

// readSet reads a file in the format of SQuAD. An article without a title gets the name of
// the file and its number.
func readSet(path string) (set, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return set{}, err
	}
	var file squad
	if err := json.Unmarshal(raw, &file); err != nil {
		return set{}, fmt.Errorf("%s is not in the format of SQuAD: %w", path, err)
	}
	s := set{name: strings.TrimSuffix(filepath.Base(path), ".json")}
	for i, d := range file.Data {
		a := article{title: strings.ReplaceAll(d.Title, "/", "_")}
		if a.title == "" {
			a.title = fmt.Sprintf("%s-%d", s.name, i+1)
		}
		for _, p := range d.Paragraphs {
			for _, q := range p.Qas {
				a.questions = append(a.questions, question{strings.TrimSpace(q.Question), len(a.paragraphs), q.Impossible})
			}
			a.paragraphs = append(a.paragraphs, strings.TrimSpace(strings.TrimPrefix(p.Context, "\ufeff")))
		}
		s.articles = append(s.articles, a)
	}
	return s, nil
}

// asked is a question to a library.
type asked struct {
	question

	article int
}

// spread returns so many questions of articles, at even distances; 0 is all.
func spread(articles []article, most int) []asked {
	var all []asked
	for i, a := range articles {
		for _, q := range a.questions {
			all = append(all, asked{q, i})
		}
	}
	if most == 0 || most >= len(all) {
		return all
	}
	some := make([]asked, most)
	for i := range some {
		some[i] = all[i*len(all)/most]
	}
	return some
}
