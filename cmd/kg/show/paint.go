package show

// Paint colours words for one place of output; off, it leaves them as they are.
type Paint struct{ On bool }

func (p Paint) with(code, s string) string {
	if !p.On || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Bold returns s in bold letters.
func (p Paint) Bold(s string) string { return p.with("1", s) }

// Dim returns s in faint letters.
func (p Paint) Dim(s string) string { return p.with("2", s) }

// Red returns s in red.
func (p Paint) Red(s string) string { return p.with("31", s) }

// Green returns s in green.
func (p Paint) Green(s string) string { return p.with("32", s) }

// Yellow returns s in yellow.
func (p Paint) Yellow(s string) string { return p.with("33", s) }

// Cyan returns s in cyan.
func (p Paint) Cyan(s string) string { return p.with("36", s) }
