package top

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/jedib0t/go-pretty/v6/text"
	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

// newTestScreen returns a screen of so many columns and lines that has heard news.
func newTestScreen(tb testing.TB, server *fakeServer, columns, lines int, news ...client.News) *screen {
	s := newScreen(tb.Context(), Config{Server: server, Name: "http://kappa", Order: "status", Screen: show.Screen{Env: func(string) (string, bool) { return "", false }}})
	s.now = func() time.Time { return start }
	s.Update(tea.WindowSizeMsg{Width: columns, Height: lines})
	s.Update(newsMsg(append([]client.News{{Begins: true}}, news...)))
	return s
}

// press presses keys, and has what they ask for answered. It reports whether the program ends.
func press(s *screen, keys ...string) (ended bool) {
	for _, k := range keys {
		msg := tea.KeyPressMsg{Text: k, Code: []rune(k)[0]}
		switch k {
		case "enter":
			msg = tea.KeyPressMsg{Code: tea.KeyEnter}
		case "esc":
			msg = tea.KeyPressMsg{Code: tea.KeyEscape}
		case "down":
			msg = tea.KeyPressMsg{Code: tea.KeyDown}
		case "end":
			msg = tea.KeyPressMsg{Code: tea.KeyEnd}
		case "backspace":
			msg = tea.KeyPressMsg{Code: tea.KeyBackspace}
		case "ctrl+c":
			msg = tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
		}
		if _, cmd := s.Update(msg); cmd != nil {
			answer := cmd()
			if _, quit := answer.(tea.QuitMsg); quit {
				ended = true
			}
			s.Update(answer)
		}
	}
	return ended
}

func shown(s *screen) string { return s.View().Content }

// TestScreen goes through what a user does.
func TestScreen(t *testing.T) {
	server := newFakeServer()
	s := newTestScreen(t, server, 100, 24, lane("fast", 1, 2, 3), job(first, "ingestion", work.StatusProcessing, "ice.pdf"), job(second, "noop", work.StatusApproved, "snow"))
	has := func(when string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(shown(s), w) {
				t.Errorf("%s: %q is not on\n%s", when, w, shown(s))
			}
		}
	}
	has("at first", "http://kappa", "live", "fast", "1/2", "2 of 2 jobs, by status", "▶ "+first, "  "+second)
	press(s, "down", "enter")
	has("opened", second+", noop", "approved", "All 2 slots of the lane interactive are taken.", "kg admin workers lanes set")
	press(s, "c")
	has("asked", "Cancel "+second+" (noop snow)?")
	if press(s, "n"); len(server.cancelled) > 0 {
		t.Error("cancelled without a yes")
	}
	press(s, "c", "y")
	if has("cancelled", "Cancelled "+second); !slices.Equal(server.cancelled, []string{second}) {
		t.Errorf("cancelled %v", server.cancelled)
	}
	press(s, "s", "/", "i", "c", "x", "backspace", "e")
	has("filtered", "1 of 2 jobs, by oldest, with: ice", "▶ "+first)
	press(s, "enter", "c")
	s.Update(newsMsg{ends(first, work.EventFailed, "no route")})
	press(s, "x", "c", "esc")
	has("after the end", "failed", "2 of 2 jobs")
	if strings.Contains(shown(s), "Cancel "+first) {
		t.Error("a job that is over can be cancelled")
	}
	press(s, "?")
	has("help", "page up and down")
	press(s, "x", "down", "enter")
	s.Update(newsMsg{{Gone: first}, {Gone: second}})
	has("nothing left", "No job runs or waits.")
	s.Update(newsMsg{{Lost: errors.New("server unreachable\nat all")}})
	has("lost", "lost: server unreachable at all; trying again")
	s.Update(newsMsg{{Begins: true, Truncated: true}, job("job_00000000000c", "noop", work.StatusApproved, "")})
	press(s, "c", "y")
	has("refused", "job_00000000000c is not cancelled: it is over", "there are more than are shown", "live")
	if !press(s, "q") || !press(s, "ctrl+c") || !press(s, "/", "ctrl+c") {
		t.Error("it does not end")
	}
	if s.Update(endedMsg{errors.New("denied")}); s.failure == nil {
		t.Error("the failure is forgotten")
	}
}

// TestScreenFits draws terminals of all sizes with any jobs: no line is wider, none is too many, and
// the chosen job is among them.
func TestScreenFits(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var news []client.News
		for i := range rapid.IntRange(0, 40).Draw(r, "jobs") {
			status := rapid.SampledFrom([]work.Status{work.StatusApproved, work.StatusProcessing, work.StatusFailed, work.StatusAwaitingApproval}).Draw(r, "status")
			news = append(news, job(fmt.Sprintf("job_%012x", i), "ingestion", status, rapid.StringN(0, 60, 200).Draw(r, "what")))
		}
		for i := range rapid.IntRange(0, 12).Draw(r, "lanes") {
			news = append(news, lane(fmt.Sprintf("lane-%d", i), i%2, 2, i))
		}
		columns, lines := rapid.IntRange(20, 200).Draw(r, "columns"), rapid.IntRange(3, 60).Draw(r, "lines")
		s := newTestScreen(t, newFakeServer(), columns, lines, news...)
		for _, k := range rapid.SliceOf(rapid.SampledFrom([]string{"down", "end", "k", "G", "g", "s", "enter", "esc", "?", "/", "a", "c"})).Draw(r, "keys") {
			press(s, k)
			drawn := strings.Split(shown(s), "\n")
			if len(drawn) != lines {
				r.Fatalf("%d lines, want %d", len(drawn), lines)
			}
			for _, line := range drawn {
				if w := text.StringWidthWithoutEscSequences(line); w > columns {
					r.Fatalf("%d columns, want %d at most: %q", w, columns, line)
				}
			}
			const enough = 30 // lines for some jobs
			if s.mode == modeList && lines >= enough && len(s.board.list(s.order, s.filter)) > 0 && !strings.Contains(shown(s), "▶") {
				r.Fatalf("no job is chosen on\n%s", shown(s))
			}
		}
	})
}
