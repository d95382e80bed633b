package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// article is a document of the data: paragraphs, each with the questions that it answers.
type article struct {
	Title      string
	Paragraphs []paragraph
}

type paragraph struct {
	Context   string
	Questions []asking `json:"qas"`
}

type asking struct {
	Question   string
	Impossible *bool `json:"is_impossible"`
	Answers    []struct{ Text string }
}

// first is how many of the questions of a paragraph are taken for answered ones where a file does
// not say which are: those without an answer were added to them.
const first = 3

// isAnswered reports whether a paragraph surely answers its question of this number.
func (a *asking) isAnswered(number int) bool {
	if a.Impossible != nil {
		return !*a.Impossible
	}
	return len(a.Answers) > 0 || number < first
}

// dataset holds the articles of each language, "en" among them.
type dataset map[string][]article

// readData reads the data sets in a folder. English is read from squad*.json.
func readData(ctx context.Context, folder string) (dataset, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errInput, err)
	}
	all := dataset{}
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".xz")
		language, isOther := strings.CutPrefix(strings.TrimSuffix(name, ".json"), "xquad.")
		switch {
		case !strings.HasSuffix(name, ".json"):
			continue
		case strings.HasPrefix(name, "squad"):
			language = "en"
		case !isOther:
			continue
		case language == "en":
			language = "en, XQuAD"
		}
		articles, err := readArticles(ctx, filepath.Join(folder, f.Name()))
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", errInput, f.Name(), err)
		}
		all[language] = append(all[language], articles...)
	}
	if len(all["en"]) == 0 {
		return nil, fmt.Errorf("%w: %s has no squad*.json", errInput, folder)
	}
	return all, nil
}

func readArticles(ctx context.Context, file string) ([]article, error) {
	text, err := unpacked(ctx, file)
	if err != nil {
		return nil, err
	}
	var set struct{ Data []article }
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, err
	}
	return set.Data, nil
}

// unpacked returns the text of a file, through the program xz if it is packed.
func unpacked(ctx context.Context, file string) ([]byte, error) {
	if filepath.Ext(file) != ".xz" {
		return fs.ReadFile(os.DirFS(filepath.Dir(file)), filepath.Base(file))
	}
	var failure bytes.Buffer
	xz := exec.CommandContext(ctx, "xz", "--decompress", "--stdout", file)
	xz.Stderr = &failure
	text, err := xz.Output()
	if err != nil {
		return nil, fmt.Errorf("xz could not unpack it (install xz, or unpack it beside): %w %s", err, strings.TrimSpace(failure.String()))
	}
	return text, nil
}

// heldOut reports whether an article is held out: every fourth, in the order of the file.
// Nothing was chosen by what they show.
func heldOut(i int) bool { return i%4 == 3 }

// split returns the articles to learn from and those held out.
func split(all []article) (learn, held []article) {
	for i, a := range all {
		if heldOut(i) {
			held = append(held, a)
		} else {
			learn = append(learn, a)
		}
	}
	return learn, held
}
