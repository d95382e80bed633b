package cli

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/cmd/kg/folder"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

const (
	fullLook  = 10 * time.Minute // at the folder, whatever is told of it
	settles   = time.Second      // without a change, before the folder is looked at
	syncRetry = time.Minute      // at most, while the server is away
)

// watch brings the ontology up to date whenever something in the folder has changed, until ctx ends.
func (s *folderSync) watch(ctx context.Context) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch %s: %w", s.dir, err)
	}
	defer watcher.Close() //nolint:errcheck // nothing is written
	wake := kappa.NewWaker()
	go wakeWhenSettled(ctx, watcher, wake)
	// What has been sent is not known to the server before its job is through.
	sent := map[string]bool{}
	lastFull := time.Time{}
	loop := kappa.Loop{Name: "syncing", Every: fullLook, Retry: syncRetry, Wake: wake.C(), Log: slog.New(slog.DiscardHandler)}
	err = loop.Run(ctx, func(ctx context.Context) error {
		if time.Since(lastFull) >= fullLook {
			clear(sent)
			lastFull = time.Now()
		}
		watchDirectories(watcher, s.dir)
		err := s.round(ctx, sent)
		if err != nil && ctx.Err() == nil {
			s.app.note("%s; tried again within %s", show.Printable(err.Error()), syncRetry)
		}
		return err
	})
	s.app.note("stopped watching %s", show.Printable(s.dir))
	return err
}

// round does what has become necessary since the last round.
func (s *folderSync) round(ctx context.Context, sent map[string]bool) error {
	entries, left, err := s.plan(ctx)
	if err != nil {
		return err
	}
	todo := entries[:0]
	for _, e := range entries {
		key := string(e.State) + " " + e.Path + " " + e.DocumentID
		if e.State == folder.Unchanged || e.State == folder.Copy || sent[key] {
			continue
		}
		if e.State != folder.Gone || s.in.remove {
			todo = append(todo, e)
			sent[key] = true
		}
	}
	if len(todo) == 0 {
		return nil
	}
	if s.app.output == formatTable {
		s.writeTotals(todo, left)
	}
	err = s.apply(ctx, todo)
	s.jobs, s.answers = nil, nil
	if err != nil {
		clear(sent)
	}
	return err
}

// wakeWhenSettled wakes when something has changed and nothing has since for a moment.
func wakeWhenSettled(ctx context.Context, watcher *fsnotify.Watcher, wake kappa.Waker) {
	timer := time.NewTimer(settles)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case _, open := <-watcher.Events:
			if !open {
				return
			}
			timer.Reset(settles)
		case _, open := <-watcher.Errors: // events were lost: look
			if !open {
				return
			}
			timer.Reset(settles)
		case <-timer.C:
			wake.Wake()
		}
	}
}

// watchDirectories watches dir and all below it that is not hidden. What cannot be watched is found
// by the full look.
func watchDirectories(watcher *fsnotify.Watcher, dir string) {
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // it is gone, or may not be read
		}
		if !entry.IsDir() {
			return nil
		}
		if path != dir && strings.HasPrefix(entry.Name(), ".") {
			return filepath.SkipDir
		}
		_ = watcher.Add(path)
		return nil
	})
}
