package local

import (
	"os"
	"path/filepath"
)

// DataProgram returns the path of kg-data, which answers questions to datasets: the one
// beside this program, wherever a link to it stands. It is "" where there is none.
func DataProgram() string {
	own, err := os.Executable()
	if err != nil {
		return ""
	}
	if program, err := filepath.EvalSymlinks(own); err == nil {
		own = program
	}
	if beside := filepath.Join(filepath.Dir(own), "kg-data"); Runnable(beside) {
		return beside
	}
	return ""
}

// Runnable reports whether a path is a file that may be run.
func Runnable(path string) bool {
	stat, err := os.Stat(path)
	return err == nil && stat.Mode().IsRegular() && stat.Mode().Perm()&0o111 != 0
}
