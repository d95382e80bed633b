package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// chartVersions are the lines of Chart.yaml that have the version.
var chartVersions = regexp.MustCompile(`(?m)^(version|appVersion): .*$`)

// chart writes the chart for Kubernetes as helm package does: one folder with Chart.yaml first,
// in which the version is that of the release.
func (r *release) chart() (err error) {
	dir := filepath.Join(r.root, "deploy", "helm", "kappa")
	file, err := os.Create(filepath.Join(r.dist, "kappa-"+r.version+".tgz"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	zip, err := gzip.NewWriterLevel(file, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(zip)
	if err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, dir+string(filepath.Separator)))
		if name == "Chart.yaml" {
			if len(chartVersions.FindAll(text, -1)) != 2 {
				return fmt.Errorf("%s must have a version and an appVersion", path)
			}
			text = chartVersions.ReplaceAll(text, []byte("${1}: "+r.version))
		}
		return addFile(w, "kappa/"+name, 0o644, r.date, text)
	}); err != nil {
		return fmt.Errorf("pack the chart: %w", err)
	}
	return errors.Join(w.Close(), zip.Close())
}
