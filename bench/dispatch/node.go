package main

import (
	"bufio"
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/bench/node"
)

// nodePrograms are the contenders that run on Node.js, installed in a directory
// of their own.
type nodePrograms struct{ dir string }

// install installs them with npm. It returns an error that says why they are
// left out when that is not possible here.
func (n nodePrograms) install(ctx context.Context) error {
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%s is not installed", program)
		}
	}
	if err := copyFiles(node.Files, n.dir); err != nil {
		return err
	}
	npm := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts")
	npm.Dir = n.dir
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install: %w: %.300s", err, out)
	}
	return nil
}

func copyFiles(files embed.FS, dir string) error {
	entries, err := files.ReadDir(".")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, entry := range entries {
		content, err := files.ReadFile(entry.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, entry.Name()), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// run returns a contender that is a script. Its argument is the number of jobs;
// it prints a line when it begins to work on them and one when it has ended,
// with the processor time that it used in between, in microseconds.
func (n nodePrograms) run(script string) func(ctx context.Context, l lab, jobs int) (figure, error) {
	return func(ctx context.Context, l lab, jobs int) (took figure, err error) {
		cfg, err := pgx.ParseConfig(l.dsn)
		if err != nil {
			return figure{}, err
		}
		cmd := exec.CommandContext(ctx, "node", script, strconv.Itoa(jobs))
		cmd.Dir = n.dir
		cmd.Env = append(os.Environ(), "PGHOST="+cfg.Host, "PGPORT="+strconv.Itoa(int(cfg.Port)), "PGUSER="+cfg.User, "PGDATABASE="+cfg.Database)
		var complaint strings.Builder
		cmd.Stderr = &complaint
		out, err := cmd.StdoutPipe()
		if err != nil {
			return figure{}, err
		}
		if err := cmd.Start(); err != nil {
			return figure{}, err
		}
		var watch stopwatch
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			word, used, _ := strings.Cut(lines.Text(), " ")
			switch word {
			case "begin":
				watch = l.start()
			case "end":
				took = watch.stop()
				micros, err := strconv.ParseFloat(used, 64)
				if err != nil {
					return figure{}, err
				}
				took.cpu += time.Duration(micros) * time.Microsecond
			}
		}
		if err := cmd.Wait(); err != nil {
			return figure{}, fmt.Errorf("%w: %.500s", err, complaint.String())
		}
		if took.wall == 0 {
			return figure{}, errors.New("it did not say when it began and ended")
		}
		return took, nil
	}
}
