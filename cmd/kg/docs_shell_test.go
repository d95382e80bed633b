package main

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// shellCommands returns the simple commands of a shell script as lists of
// words, those in command substitutions first. It knows what the documentation
// uses: quotes, comments, pipes and lists, line continuation, redirections,
// here-documents and $( ). A substitution stands as the word "$".
func shellCommands(script string) [][]string {
	s := &shellReader{text: withoutHereDocuments(strings.ReplaceAll(script, "\\\n", " "))}
	s.read("")
	return s.commands
}

var hereDocument = regexp.MustCompile(`[^<]<<'?(\w+)'?`)

// withoutHereDocuments drops the bodies of here-documents.
func withoutHereDocuments(script string) string {
	var kept []string
	end := ""
	for line := range strings.Lines(script) {
		switch m := hereDocument.FindStringSubmatch(line); {
		case end != "":
			if strings.TrimSpace(line) == end {
				end = ""
			}
			continue
		case m != nil:
			end = m[1]
			line = hereDocument.ReplaceAllString(line, " ")
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "")
}

// shellReader reads a script from its start to its end.
type shellReader struct {
	text     string
	pos      int
	commands [][]string
}

// command is the one that is being read.
type command struct {
	words    []string
	word     strings.Builder
	inWord   bool
	redirect bool // the next word is the place of a redirection
}

func (c *command) add(r string) {
	c.word.WriteString(r)
	c.inWord = true
}

// endWord ends the word at hand. The place of a redirection is no argument.
func (c *command) endWord() {
	if !c.inWord {
		return
	}
	if !c.redirect {
		c.words = append(c.words, c.word.String())
	}
	c.word.Reset()
	c.inWord, c.redirect = false, false
}

// read reads commands up to the closing mark, or to the end.
func (s *shellReader) read(closing string) {
	c := &command{}
	end := func() {
		c.endWord()
		if len(c.words) > 0 {
			s.commands = append(s.commands, c.words)
		}
		c = &command{}
	}
	for s.pos < len(s.text) {
		r := s.text[s.pos : s.pos+1]
		s.pos++
		switch {
		case r == closing:
			end()
			return
		case r == "'" || r == `"`:
			s.quoted(c, r)
		case r == "$" && strings.HasPrefix(s.text[s.pos:], "("):
			s.pos++
			c.add("$")
			s.read(")")
		case r == `\` && s.pos < len(s.text):
			c.add(s.text[s.pos : s.pos+1])
			s.pos++
		case r == "#" && !c.inWord:
			s.skipLine()
		case r == " " || r == "\t":
			c.endWord()
		case r == "<" || r == ">":
			if c.word.String() == "2" { // 2> file
				c.word.Reset()
				c.inWord = false
			}
			c.endWord()
			c.redirect = true
		case strings.Contains("|;&\n", r) && (r != "&" || !c.redirect): // 2>&1 goes on
			end()
		default:
			c.add(r)
		}
	}
	end()
}

// quoted reads up to the closing quotation mark.
func (s *shellReader) quoted(c *command, mark string) {
	c.add("")
	for s.pos < len(s.text) {
		r := s.text[s.pos : s.pos+1]
		s.pos++
		switch {
		case r == mark:
			return
		case mark == `"` && r == "$" && strings.HasPrefix(s.text[s.pos:], "("):
			s.pos++
			c.add("$")
			s.read(")")
		case mark == `"` && r == `\` && s.pos < len(s.text):
			c.add(s.text[s.pos : s.pos+1])
			s.pos++
		default:
			c.add(r)
		}
	}
}

func (s *shellReader) skipLine() {
	for s.pos < len(s.text) && s.text[s.pos] != '\n' {
		s.pos++
	}
}

func TestShellCommands(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		want   [][]string
	}{
		"words and quotes":     {`kg search query "pumped storage" 'a "b"' c\ d`, [][]string{{"kg", "search", "query", "pumped storage", `a "b"`, "c d"}}},
		"pipes and lists":      {"a | b -c && d || e; f # g\nh", [][]string{{"a"}, {"b", "-c"}, {"d"}, {"e"}, {"f"}, {"h"}}},
		"redirections":         {"a b > c 2> /dev/null < d e 2>&1", [][]string{{"a", "b", "e"}}},
		"here-strings":         {`jq -r .id <<<"$X" .y`, [][]string{{"jq", "-r", ".id", ".y"}}},
		"here-documents":       {"cat > x <<'END'\nkg nonsense\nEND\nkg health", [][]string{{"cat"}, {"kg", "health"}}},
		"continued lines":      {"a \\\n  b", [][]string{{"a", "b"}}},
		"substitutions":        {`J=$(kg jobs list | sed 's/\(x\)/y/') ; kg jobs status "$(cat id)"`, [][]string{{"kg", "jobs", "list"}, {"sed", `s/\(x\)/y/`}, {"J=$"}, {"cat", "id"}, {"kg", "jobs", "status", "$"}}},
		"an empty quoted word": {`a "" b`, [][]string{{"a", "", "b"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := shellCommands(c.script); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
