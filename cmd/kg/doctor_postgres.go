package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// postgresPrograms returns where PostgreSQL's programs are, as the private
// cluster would find them.
func (a *app) postgresPrograms() (dir string, err error) {
	if dir := a.getenv("KG_PG_BIN"); dir != "" {
		if !hasPostgres(dir) {
			return "", fmt.Errorf("KG_PG_BIN=%s holds no initdb and postgres", dir)
		}
		return dir, nil
	}
	dirs := filepath.SplitList(a.getenv("PATH"))
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin"} {
		matches, _ := filepath.Glob(pattern) // the patterns are well formed
		dirs = append(dirs, matches...)
	}
	for _, dir := range dirs {
		if hasPostgres(dir) {
			return dir, nil
		}
	}
	return "", fmt.Errorf("PostgreSQL's programs were not found")
}

func hasPostgres(dir string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		if stat, err := os.Stat(filepath.Join(dir, name)); err != nil || stat.IsDir() {
			return false
		}
	}
	return true
}
