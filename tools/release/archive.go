package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// archive writes the archive of a target: one folder, with the programs, what they come
// with, and the licences of what is in them.
func (r *release) archive(t target, programs []string, common, licences map[string][]byte) (err error) {
	name := fmt.Sprintf("kappa-%s-%s-%s", r.version, t.system, t.arch)
	file, err := os.Create(filepath.Join(r.dist, name+".tar.gz"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	zip, err := gzip.NewWriterLevel(file, gzip.BestCompression)
	if err != nil {
		return err
	}
	files := maps.Clone(common)
	maps.Copy(files, licences)
	w := tar.NewWriter(zip)
	for _, program := range programs {
		text, err := os.ReadFile(program)
		if err != nil {
			return err
		}
		if err := addFile(w, name+"/"+filepath.Base(program), 0o755, r.date, text); err != nil {
			return err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if err := addFile(w, name+"/"+path, 0o644, r.date, files[path]); err != nil {
			return err
		}
	}
	return errors.Join(w.Close(), zip.Close())
}

// addFile adds a file of root to an archive.
func addFile(w *tar.Writer, name string, mode int64, at time.Time, text []byte) error {
	head := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: int64(len(text)), ModTime: at, Uname: "root", Gname: "root", Format: tar.FormatPAX}
	if err := w.WriteHeader(head); err != nil {
		return err
	}
	_, err := w.Write(text)
	return err
}

// sums writes SHA256SUMS, which sha256sum -c reads.
func sums(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, entry := range entries {
		sum, err := sumOf(filepath.Join(dir, entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%x  %s\n", sum, entry.Name())
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(list.String()), 0o644)
}

// sumOf returns the SHA-256 of a file.
func sumOf(path string) (sum []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	hash := sha256.New()
	_, err = io.Copy(hash, file)
	return hash.Sum(nil), err
}
