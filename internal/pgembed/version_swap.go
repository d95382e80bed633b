package pgembed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// replacedPrefix begins the name that the old data directory has while the new one takes its
// place. A start that finds it and no data directory gives it its name back.
const replacedPrefix = "data.replaced-"

// keptData is where an upgrade keeps the data directory of a version.
func keptData(dir string, major int) string {
	return filepath.Join(dir, "data-"+strconv.Itoa(major))
}

// replaceData puts a data directory in the place of the one that a version has made, and
// returns where that is kept.
func replaceData(dir, next string, major int) (kept string, err error) {
	data, aside, kept := filepath.Join(dir, "data"), filepath.Join(dir, replacedPrefix+strconv.Itoa(major)), keptData(dir, major)
	for _, move := range [][2]string{{data, aside}, {next, data}, {aside, kept}} {
		if err := os.Rename(move[0], move[1]); err != nil {
			return "", errors.Join(fmt.Errorf("put the new data directory in the place of the old one: %w", err), settleReplaced(dir))
		}
		if err := syncDir(dir); err != nil {
			return "", err
		}
	}
	return kept, nil
}

// settleReplaced finishes or undoes the change of names that was interrupted: without a data
// directory the old one has its place again.
func settleReplaced(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, replacedPrefix+"*"))
	if err != nil || len(left) == 0 {
		return err
	}
	data := filepath.Join(dir, "data")
	target := data
	if _, err := os.Lstat(data); err == nil {
		target = filepath.Join(dir, "data-"+strings.TrimPrefix(filepath.Base(left[0]), replacedPrefix))
	}
	if err := os.Rename(left[0], target); err != nil {
		return fmt.Errorf("finish an upgrade that was interrupted: %w", err)
	}
	return syncDir(dir)
}
