package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// office is what LibreOffice reads of the files of older Office programs. It takes a second to
// start, so that it is given many files at once.
type office struct {
	folder string // temporary, for its settings and for what it writes
	files  []file // that it will be asked for
	ran    map[string]bool
}

// officeFilters are what LibreOffice is asked to write, by the extensions: of sheets all of them,
// with the values as they are shown.
var officeFilters = map[string]string{
	"txt": "txt:Text (encoded):UTF8", "csv": "csv:Text - txt - csv (StarCalc):59,34,76,1,,1033,false,false,true,false,false,-1", "html": "html:impress_html_Export",
}

const officeBatch = 12

// text returns what LibreOffice reads of a file, or nil. It reads the next files of the same kind
// with it.
func (o *office) text(ctx context.Context, f file, form string) *peerText {
	if !o.ran[f.hash] {
		o.run(ctx, f, form)
	}
	names, err := filepath.Glob(filepath.Join(o.folder, f.hash+"*."+form))
	if err != nil || len(names) == 0 {
		return nil
	}
	order := func(name string) int { // of sheets, which are called HASH-sheet.csv, in the order in which they were written
		stat, err := os.Stat(name)
		if err != nil {
			return 0
		}
		return int(stat.ModTime().UnixNano())
	}
	slices.SortFunc(names, func(a, b string) int { return order(a) - order(b) })
	var text, rows bytes.Buffer
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			return nil
		}
		text.Write(body)
		text.WriteByte('\n')
		_, below, _ := bytes.Cut(body, []byte("\n"))
		rows.Write(below)
	}
	if len(bytes.TrimSpace(text.Bytes())) == 0 {
		return nil
	}
	p := &peerText{program: "soffice"}
	switch form {
	case "html":
		p.words = wordsOf(linesOnce(impressTitle.ReplaceAllString(pageText(text.Bytes()), " ")))
	case "csv":
		p.words = sheetWords(fullDay(isoDates(text.String())))
		p.ordered = append([]string{}, sheetWords(fullDay(isoDates(rows.String())))...) // we write the names of columns before each value
	default:
		p.words = wordsOf(text.String())
	}
	return p
}

// run gives a file and the next ones of its kind to LibreOffice.
func (o *office) run(ctx context.Context, first file, form string) {
	const limit = 5 * time.Minute
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	arguments := []string{"--headless", "-env:UserInstallation=file://" + o.folder + "/settings", "--convert-to", officeFilters[form], "--outdir", o.folder}
	n := 0
	for _, f := range o.files {
		if f.kind != first.kind || o.ran[f.hash] || n == officeBatch {
			continue
		}
		body, err := os.ReadFile(f.full)
		name := filepath.Join(o.folder, f.hash+filepath.Ext(f.path))
		if err != nil || os.WriteFile(name, body, 0o600) != nil {
			continue
		}
		o.ran[f.hash] = true
		arguments = append(arguments, name)
		n++
	}
	if out, err := exec.CommandContext(ctx, "soffice", arguments...).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "soffice: %v\n%s\n", err, out) // what it wrote before counts
	}
}

// linesOnce takes out the lines that say the same as the one before: LibreOffice writes the first
// text of a slide without a title twice, the first time as its title.
func linesOnce(text string) string {
	var kept strings.Builder
	last := ""
	for line := range strings.Lines(text) {
		if words := joined(line); words != "" && words == last {
			continue
		} else if words != "" {
			last = words
		}
		kept.WriteString(line)
	}
	return kept.String()
}

// impressTitle is what LibreOffice writes above each slide, and above the notes.
var impressTitle = regexp.MustCompile(`(?m)^\s*(?:Slide \d+|Notes:|Table of contents|Author:.*|E-mail:.*|Homepage:.*|Further information:|Click here to start)\s*$`)
