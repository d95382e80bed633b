package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// file is a file of the manifest.
type file struct {
	hash string // SHA-256, in hexadecimal
	kind string
	path string // below the folder: the package and its version, and the path in it
	full string
}

// half returns whether the file is measured (odd) or developed on (even).
func (f file) half() string {
	if strings.IndexByte("02468ace", f.hash[0]) >= 0 {
		return "even"
	}
	return "odd"
}

// kinds are the kinds of files by the extensions of their names.
var kinds = map[string]string{
	".html": "html", ".htm": "html", ".xhtml": "html", ".pdf": "pdf", ".docx": "docx", ".xlsx": "xlsx", ".pptx": "pptx", ".odt": "odt", ".ods": "ods", ".odp": "odp",
	".rtf": "rtf", ".doc": "doc", ".xls": "xls", ".ppt": "ppt", ".msg": "msg", ".eml": "email", ".mbox": "mailbox", ".epub": "epub", ".csv": "csv",
	".adoc": "asciidoc", ".asciidoc": "asciidoc", ".rst": "rst", ".org": "org", ".tex": "tex", ".latex": "tex", ".srt": "subtitles", ".vtt": "subtitles",
	".xml": "xml", ".docbook": "docbook", ".fb2": "fb2", ".1": "man", ".5": "man", ".7": "man", ".8": "man", ".txt": "text",
}

// readManifest returns the files of a manifest that are in the folder, and how many are not. A file
// whose bytes are others than the manifest says is not there.
func readManifest(name, folder string) (files []file, missing int, err error) {
	list, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = list.Close() }()
	lines := bufio.NewScanner(list)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		if strings.HasPrefix(lines.Text(), "#") || len(fields) != 3 {
			continue
		}
		f := file{hash: fields[0], kind: fields[1], path: fields[2], full: filepath.Join(folder, fields[2])}
		body, err := os.ReadFile(f.full)
		if err != nil || hashOf(body) != f.hash {
			missing++
			continue
		}
		files = append(files, f)
	}
	return files, missing, lines.Err()
}

// readFaults returns why a file is not counted, by the hashes of the files: the trusted program reads
// of it what is not there, or loses what is.
func readFaults(name string) (map[string]string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	faults := map[string]string{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(fields) != 3 {
			continue
		}
		faults[fields[0]] = fields[2]
	}
	return faults, nil
}

func hashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// writeManifest lists up to so many files of each kind, those with the smallest hashes.
func writeManifest(name, folder string, most int) error {
	of := map[string][]file{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		kind := kinds[strings.ToLower(filepath.Ext(path))]
		within, err := filepath.Rel(folder, path)
		if kind == "" || err != nil || strings.ContainsAny(within, "\t\n") {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		of[kind] = append(of[kind], file{hash: hashOf(body), kind: kind, path: within})
		return nil
	})
	if err != nil {
		return err
	}
	var out strings.Builder
	out.WriteString("# SHA-256, kind, and where it is from: a source package of Debian with its version (a Go module where it says so), and the path in it\n")
	for _, kind := range slices.Sorted(maps.Keys(of)) {
		list := of[kind]
		slices.SortFunc(list, func(a, b file) int { return strings.Compare(a.hash[1:], b.hash[1:]) })
		for _, f := range list[:min(len(list), most)] {
			fmt.Fprintf(&out, "%s\t%s\t%s\n", f.hash, f.kind, f.path)
		}
	}
	return os.WriteFile(name, []byte(out.String()), 0o644)
}
