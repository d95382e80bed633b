package setup

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

// maxLine bounds an answer.
const maxLine = 8 << 10

// dialogue asks on a terminal, or reads lines in the place of one.
type dialogue struct {
	cfg   Config
	pgBin string
}

func newDialogue(cfg Config, pgBin string) *dialogue { return &dialogue{cfg, pgBin} }

// line asks for a line; an empty one is the default.
func (d *dialogue) line(question, def string) (string, error) {
	if def != "" {
		question += " [" + def + "]"
	}
	fmt.Fprintf(d.cfg.Out, "%s: ", question)
	text, err := d.read()
	if err != nil {
		return "", fmt.Errorf("%s: %w", question, err)
	}
	if text = strings.TrimSpace(text); text == "" {
		return def, nil
	}
	return text, nil
}

// secret asks for a line that is not shown.
func (d *dialogue) secret(question string) (string, error) {
	f, isFile := d.cfg.In.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return d.line(question, "")
	}
	fmt.Fprintf(d.cfg.Out, "%s (not shown): ", question)
	text, err := term.ReadPassword(int(f.Fd()))
	fmt.Fprintln(d.cfg.Out)
	if err != nil {
		return "", fmt.Errorf("%s: %w", question, err)
	}
	return strings.TrimSpace(string(text)), nil
}

// yes asks for yes or no.
func (d *dialogue) yes(question string, def bool) (bool, error) {
	choice := "y/N"
	if def {
		choice = "Y/n"
	}
	for {
		text, err := d.line(question+" "+choice, "")
		if err != nil {
			return false, err
		}
		switch strings.ToLower(text) {
		case "":
			return def, nil
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		}
		d.wrong(errors.New("answer y or n"))
	}
}

// until asks again until check has nothing to say.
func (d *dialogue) until(question, def string, check func(answer string) error) (string, error) {
	for {
		text, err := d.line(question, def)
		if err != nil {
			return "", err
		}
		if err = check(text); err == nil {
			return text, nil
		}
		d.wrong(err)
	}
}

// wrong says what is wrong with an answer.
func (d *dialogue) wrong(err error) {
	fmt.Fprintf(d.cfg.Out, "   ✗ %s\n", show.Printable(err.Error()))
}

// right says what was found.
func (d *dialogue) right(note string) { fmt.Fprintf(d.cfg.Out, "   ✓ %s\n", show.Printable(note)) }

// title begins a question.
func (d *dialogue) title(number int, what string) {
	fmt.Fprintf(d.cfg.Out, "\n%d of 5  %s\n", number, what)
}

// read reads to the end of a line, and nothing behind it.
func (d *dialogue) read() (string, error) {
	var text []byte
	for one := make([]byte, 1); len(text) < maxLine; {
		n, err := d.cfg.In.Read(one)
		if n > 0 && one[0] == '\n' {
			return string(text), nil
		}
		if n > 0 {
			text = append(text, one[0])
		}
		if errors.Is(err, io.EOF) && len(text) > 0 {
			return string(text), nil
		}
		if errors.Is(err, io.EOF) {
			return "", &exit.Error{Code: exit.Misused, Err: errors.New("nobody answers"), Hint: "where there is no terminal: kg setup --answers FILE"}
		}
		if err != nil {
			return "", err
		}
	}
	return "", errors.New("the answer is too long")
}
