package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/storage"
)

// ingestVersions ingests versions of a document under a path, and returns their ids.
func ingestVersions(t *testing.T, s *postgres.DB, path string, texts ...string) (ids []string) {
	t.Helper()
	for _, text := range texts {
		_, submitted, err := ingestVersion(t, s, versionOf(text, "o", corpus.Origin{SourcePath: &path}))
		must(t, err)
		ids = append(ids, submitted.ContentHash)
	}
	return ids
}

func versionNumbers(t *testing.T, s *postgres.DB, id string) string {
	t.Helper()
	v, err := s.Library().Versions(t.Context(), id, "")
	if kappa.ErrorCode(err) == kappa.CodeNotFound {
		return "none"
	}
	must(t, err)
	var all []string
	for _, one := range v.Versions {
		state := ""
		if one.Current {
			state = "!"
		}
		all = append(all, fmt.Sprint(one.Version)+state)
	}
	return strings.Join(all, " ")
}

// TestVersionsKept checks what is kept of versions that went: as many as the ontology keeps, their texts
// and what they said, until the document is taken out.
func TestVersionsKept(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn := connect(t, dsn)
	ids := ingestVersions(t, s, "/a.md", "first", "second", "third", "fourth")
	if got := versionNumbers(t, s, ids[0]); got != "4! 3 2 1" {
		t.Errorf("versions %s", got)
	}
	all, err := s.Library().Versions(t.Context(), ids[3], "o")
	must(t, err)
	old, err := all.Find(2)
	must(t, err)
	text, err := s.Library().VersionText(t.Context(), old)
	facts, failed := s.Library().VersionFacts(t.Context(), old)
	if err != nil || failed != nil || len(text) != 1 || text[0].FullText != "second" || len(facts.Concepts) != 2 || facts.Concepts[0].Label != "lease" || facts.Concepts[1].Label != "second" {
		t.Errorf("of the second version %+v and %+v are kept (%v, %v)", text, facts, err, failed)
	}
	before, forgotten, err := s.Ontologies().KeepVersions(t.Context(), "o", 1)
	if err != nil || before != 10 || forgotten != 2 || versionNumbers(t, s, ids[3]) != "4! 3" {
		t.Errorf("%d before, %d forgotten, left %s (%v)", before, forgotten, versionNumbers(t, s, ids[3]), err)
	}
	if _, err := s.Library().VersionFacts(t.Context(), old); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("a version that is forgotten: %v", err)
	}
	ids = append(ids, ingestVersions(t, s, "/a.md", "fifth")...)
	if got := versionNumbers(t, s, ids[4]); got != "5! 4" {
		t.Errorf("with one kept, %s", got)
	}
	_, _, err = s.Ontologies().KeepVersions(t.Context(), "o", 0)
	must(t, err)
	ids = append(ids, ingestVersions(t, s, "/a.md", "sixth")...)
	if got := versionNumbers(t, s, ids[5]); got != "6!" {
		t.Errorf("with none kept, %s", got)
	}
	if _, _, err := s.Ontologies().KeepVersions(t.Context(), "p", 3); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("of an unknown ontology: %v", err)
	}
	// A document that is deleted in the middle of its versions begins anew.
	remove(t, s, corpus.Removal{DocumentID: ids[5], Ontology: "o"})
	ids = append(ids, ingestVersions(t, s, "/a.md", "seventh")...)
	if got := versionNumbers(t, s, ids[6]); got != "1!" {
		t.Errorf("after the deletion, %s", got)
	}
	_ = conn
}

// TestVersionsGo checks what goes with a document, with the undo of a job, and with what is kept
// alone.
func TestVersionsGo(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn := connect(t, dsn)
	ids := ingestVersions(t, s, "/a.md", "first", "second")
	other := ingestVersions(t, s, "/b.md", "another", "another one")
	all, err := s.Library().Versions(t.Context(), ids[1], "")
	must(t, err)
	remove(t, s, corpus.Removal{DocumentID: ids[1], Ontology: "o", By: all.Versions[0].JobID})
	if got := versionNumbers(t, s, ids[0]); got != "1" {
		t.Errorf("after the undo of the second, %s", got)
	}
	dry, err := s.Library().Versions(t.Context(), ids[0], "")
	if err != nil || dry.DocumentID != ids[0] {
		t.Errorf("%+v (%v)", dry, err)
	}
	preview, _, err := s.Documents().RemoveDocument(t.Context(), corpus.Removal{DocumentID: ids[0], DryRun: true}, knowledge.NewEmbeddings{})
	if err != nil || preview.Deleted || preview.VersionsDeleted != 1 || versionNumbers(t, s, ids[0]) != "1" {
		t.Errorf("a dry run says %+v, and leaves %s (%v)", preview, versionNumbers(t, s, ids[0]), err)
	}
	if gone := remove(t, s, corpus.Removal{DocumentID: ids[0]}); gone.VersionsDeleted != 1 || versionNumbers(t, s, ids[0]) != "none" {
		t.Errorf("what is kept alone goes as %+v, and leaves %s", gone, versionNumbers(t, s, ids[0]))
	}
	if gone := remove(t, s, corpus.Removal{DocumentID: other[1]}); gone.VersionsDeleted != 1 {
		t.Errorf("with the document went %+v", gone)
	}
	for _, table := range []string{"document_versions", "version_chunks", "version_passages"} {
		var n int
		must(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM kg_api."+table).Scan(&n))
		if n != 0 {
			t.Errorf("%d rows are left in %s", n, table)
		}
	}
}

// TestVersionsFollow: the earlier versions go where their document goes.
func TestVersionsFollow(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	register(t, s, workerA)
	ids := ingestVersions(t, s, "/a.md", "first", "second")
	must(t, s.Documents().PlaceDocument(t.Context(), corpus.Placement{DocumentID: ids[1], Ontology: "o", SourcePath: "/moved.md", Filename: "moved.md", Owner: access.SystemUserID}))
	if got := versionNumbers(t, s, ids[1]); got != "2! 1" {
		t.Errorf("after the move, %s", got)
	}
	ids = append(ids, ingestVersions(t, s, "/moved.md", "third")...)
	if got := versionNumbers(t, s, ids[2]); got != "3! 2 1" {
		t.Errorf("the next version at the new place makes %s", got)
	}
}

// TestVersionsRestored: an archive has the versions that went, and restoring it twice adds nothing.
func TestVersionsRestored(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	register(t, s, workerA)
	ids := ingestVersions(t, s, "/a.md", "first", "second", "third")
	a := backUp(t, s, "o")
	other, _ := newStore(t)
	register(t, other, workerA)
	for range 2 {
		_, err := other.Backups().Restore(t.Context(), restoreClaim(t, other), a.restoring(storage.RestoreMerge))
		must(t, err)
	}
	if got := versionNumbers(t, other, ids[0]); got != "3! 2 1" {
		t.Errorf("restored %s", got)
	}
	all, err := other.Library().Versions(t.Context(), ids[2], "o")
	must(t, err)
	text, err := other.Library().VersionText(t.Context(), all.Versions[2])
	if err != nil || len(text) != 1 || text[0].FullText != "first" {
		t.Errorf("the first version is restored as %+v (%v)", text, err)
	}
	if again := backUp(t, other, "o"); fmt.Sprint(len(again.sorted())) != fmt.Sprint(len(a.sorted())) {
		t.Errorf("%d rows are in an archive of what was restored, want %d", len(again.sorted()), len(a.sorted()))
	}
}
