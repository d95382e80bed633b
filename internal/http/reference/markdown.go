package reference

import (
	"fmt"
	"strings"
)

// Markdown returns the reference as a page of the documentation.
func (r Reference) Markdown() string {
	var b strings.Builder
	for _, tag := range r.Tags {
		if len(tag.Operations) == 0 {
			continue
		}
		fmt.Fprintf(&b, "## %s\n\n%s.\n\n", tag.Name, tag.Description)
		for _, op := range tag.Operations {
			op.write(&b)
		}
	}
	b.WriteString("## Schemas\n\n")
	for _, s := range r.Schemas {
		fmt.Fprintf(&b, "### %s\n\n", s.Name)
		if len(s.Members) == 0 {
			fmt.Fprintf(&b, "%s\n\n", s.Type.markdown())
			continue
		}
		writeMembers(&b, s.Members)
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func (op Operation) write(b *strings.Builder) {
	fmt.Fprintf(b, "### %s %s\n\n%s. ", op.Method, op.Path, op.Summary)
	switch op.Permission {
	case "public":
		b.WriteString("Public.\n\n")
	case "user":
		b.WriteString("For every user.\n\n")
	default:
		fmt.Fprintf(b, "Permission `%s`.\n\n", op.Permission)
	}
	if op.Description != "" {
		b.WriteString(op.Description + "\n\n")
	}
	if len(op.Parameters) > 0 {
		writeMembers(b, op.Parameters)
	}
	for _, body := range op.Bodies {
		fmt.Fprintf(b, "- body `%s`: %s\n", body.ContentType, body.Type.markdown())
	}
	for _, answer := range op.Answers {
		fmt.Fprintf(b, "- %s", answer.Status)
		for _, c := range answer.Contents {
			fmt.Fprintf(b, " `%s`: %s", c.ContentType, c.Type.markdown())
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

func writeMembers(b *strings.Builder, members []Member) {
	b.WriteString("| Name | Type | Meaning |\n|---|---|---|\n")
	for _, m := range members {
		kind := m.Type.markdown()
		if m.In != "" {
			kind += ", in the " + m.In
		}
		if m.Required {
			kind += ", required"
		}
		if m.Default != "" {
			kind += ", default `" + m.Default + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", m.Name, kind, strings.NewReplacer("|", `\|`, "\n", " ", "<", `\<`, "[", `\[`).Replace(m.Description))
	}
	b.WriteString("\n")
}

func (t Type) markdown() string {
	if t.Name == "" {
		return t.String()
	}
	return t.Before + "[" + t.Name + "](#" + strings.ToLower(t.Name) + ")" + t.After
}
