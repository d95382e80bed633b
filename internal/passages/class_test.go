package passages_test

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/passages"
)

// TestClasses are passages as they stand on pages, and prose about the same matters.
func TestClasses(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want corpus.PassageClass
	}{
		"prose":                    {forty, corpus.ClassProse},
		"prose with a link":        {"Gin is a framework that is written in [Go](https://go.dev/). It has an API like [Martini](https://x.example) and [others](https://y.example), and is faster than those.", corpus.ClassProse},
		"Chinese":                  {"北京大学创建于1898年，是中国的大学。", corpus.ClassProse},
		"a list":                   {"- fast\n- small\n- simple to use\n- of one file", corpus.ClassList},
		"a list with links":        {"- [gin-contrib](https://github.com/gin-contrib) is a collection of middleware that is kept by people\n- [gorush](https://github.com/x) is a server of notifications for telephones\n- [fnproject](https://x.example) is a platform that has functions in containers", corpus.ClassList},
		"a list of links":          {"- [Home](/)\n- [Products](/products)\n- [Prices](/prices)\n- [About us](/about)", corpus.ClassNavigation},
		"languages":                {"[English](https://x/en) | [简体中文](https://x/zh) | [Deutsch](https://x/de) | [Español](https://x/es)", corpus.ClassNavigation},
		"the next page":            {"Next: Simple Example, Up: Using libffi \u00a0 [Index]", corpus.ClassNavigation},
		"contents with pages":      {"1 Introduction ........ 3\n2 The parts ........ 12\n2.1 The first part ........ 14\n3 The end ........ 20", corpus.ClassContents},
		"contents with numbers":    {"1. 1.1. What is it\n2. 1.2. Print options\n3. 1.3. Code generation\n4. 1.4. Lints", corpus.ClassContents},
		"contents with anchors":    {"- [What it is](#what-it-is)\n- [Installation](#installation)\n- [Examples](#examples)", corpus.ClassContents},
		"below Contents":           {"# Contents\n\n- Setup\n- Use\n- Help", corpus.ClassContents},
		"a list with versions":     {"- 1.2.3 fixes a crash when a file is empty.\n- 1.2.2 fixes a leak.\n- 1.2.1 reads more formats.", corpus.ClassList},
		"a menu of Info":           {"* Menu:\n\n* Hunks::             Groups of differing lines.\n* White Space::       What is ignored.", corpus.ClassContents},
		"a node of Info":           {"\x1f\nFile: ice.info,  Node: Melting,  Next: Water,  Prev: Ice,  Up: Top", corpus.ClassNavigation},
		"below an index":           {"# Function and Concept Index\n\n| `melt`: | \u00a0 | Ice\n\n| `pour`: | \u00a0 | Water\n\n| `run`: | \u00a0 | Water", corpus.ClassContents},
		"prose about indexes":      {"# Index\n\nAn index is a list of what a library has, which is kept beside the shelves, so that nobody has to walk along all of them to find one book.", corpus.ClassProse},
		"a cookie notice":          {"We use cookies to make this site better. By going on you accept our policy. Accept all", corpus.ClassNotice},
		"a German one":             {"Diese Seite verwendet Cookies. Wenn Sie weiterlesen, akzeptieren Sie das.", corpus.ClassNotice},
		"prose about cookies":      {"A cookie is a small piece of data that a server sends to a browser, which stores it and sends it back with later requests to the same server, so that a session is kept.", corpus.ClassProse},
		"a copyright":              {"© 2024 Example Ltd. All rights reserved.", corpus.ClassNotice},
		"the MIT licence":          {"Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files, to deal in the Software without restriction", corpus.ClassLicence},
		"prose about licences":     {"The MIT licence is a permissive licence from the Massachusetts Institute of Technology. It has few restrictions on reuse.", corpus.ClassProse},
		"cited works":              {"[1] A. Turing, On Computable Numbers, 1936.\n[2] A. Church, An Unsolvable Problem, 1936.", corpus.ClassReferences},
		"below References":         {"# References\n\n- Turing, A. (1936). On Computable Numbers.\n- Church, A. (1936). An Unsolvable Problem.", corpus.ClassReferences},
		"prose below References":   {"# References\n\nA reference is like a pointer that is never nil, and is written with an ampersand.", corpus.ClassProse},
		"badges":                   {"[![Build](https://x/b.svg)](https://x) [![Report](https://y/r.svg)](https://y)", corpus.ClassMarkup},
		"tags":                     {"<p align=\"center\">\n    <a href=\"https://x\"><img src=\"https://x/y.png\"\n    alt=\"Logo\"></a>\n</p>", corpus.ClassMarkup},
		"prose with tags":          {"The element <b>must</b> stand in a form, else the <i>browser</i> shows it and sends nothing.", corpus.ClassProse},
		"an inequality":            {"It holds that x < y and y > z for all numbers that are smaller than the bound.", corpus.ClassProse},
		"nothing but marks":        {"{{{ }}} %% ### && || ==", corpus.ClassMarkup},
		"links to other pages":     {"Prev\u00a0 | Up | Chapter 5. Data Definition | Home | \u00a0Next", corpus.ClassNavigation},
		"a table of numbers":       {"| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", corpus.ClassTable},
		"code":                     {"```\n[1] 2001\n<p>\n```", corpus.ClassCode},
		"a heading without a text": {"## Keyboard shortcuts", corpus.ClassContents},
	} {
		list := cut(sectioned(c.text))
		if len(list) != 1 || list[0].Class != c.want {
			t.Errorf("%s: got %+v, want %s", name, list, c.want)
		}
	}
}

// TestLabels has short lines above texts be as headings.
func TestLabels(t *testing.T) {
	text := "Introduction\n\n" + forty + "\n\n**bin**\n\nThis user has no files on most systems, and nobody knows what it was once for.\n\nsync\n\nThe shell of this user is a program that writes what is in memory.\n\nNo label.\n\nshort\n\nlist\n\nend"
	want := []string{"Introduction", "bin", "sync", "sync"}
	list := cut(corpus.DocumentText{Text: text, Markup: corpus.ContentPlain})
	for i, p := range list {
		if i >= len(want) || p.Section != want[i] {
			t.Errorf("passage %d stands in %q: %q", i, p.Section, p.Text)
		}
	}
	if last := list[len(list)-1].Text; !strings.HasSuffix(last, "short\n\nlist\n\nend") {
		t.Errorf("the last is %q", last)
	}
	below := cut(sectioned("# Users\n\nbin\n\nThis user has no files on most systems, and nobody knows what it was once for.\n\n# Groups\n\nA group has several users, who may all read what belongs to it, and write it."))
	if len(below) != 2 || below[0].Section != "Users > bin" || below[1].Section != "Groups" {
		t.Errorf("got %+v", below)
	}
}

// TestPassageLanguages finds the language of each passage, and that of its document where that is
// not clear.
func TestPassageLanguages(t *testing.T) {
	german := "Ein Gletscher ist ein Strom aus Eis, der sich unter seinem eigenen Gewicht bewegt. Wenn der Schnee vieler Winter gepresst wird, entsteht Eis, und es fließt in das Tal, in dem es dann wieder schmilzt und zu einem Fluss wird."
	text := strings.Join([]string{german, forty, german, strings.Repeat("北京大学创建于1898年，是中国的大学。", 10), strings.Repeat("東京大学は日本の大学である。", 10), "Aletsch Gorner Fiesch.", strings.Repeat("ธารน้ำแข็งคือแม่น้ำของน้ำแข็ง ", 12), "| a | b |\n|---|---|\n| op | op |", german}, "\n\n")
	var got []string
	for _, p := range cut(corpus.DocumentText{Text: text, Markup: corpus.ContentPlain}) {
		got = append(got, p.Language)
	}
	if want := "de en de zh ja de th de de"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestClassesAroundText has passages that stand around the main text of a page: they are of the
// class of their section, unless they are of one that ranks behind by themselves.
func TestClassesAroundText(t *testing.T) {
	text := "Home and news\n\n© 2026 Example Ltd.\n\n# Ice\n\n" + forty + "\n\n- Sign up for the letter\n"
	at := func(part string) int { return strings.Index(text, part) }
	d := corpus.DocumentText{Text: text, Markup: corpus.ContentMarkdown, Places: []corpus.Place{
		{Section: corpus.SectionNavigation}, {Start: at("# Ice"), Section: "Ice"}, {Start: at("- Sign"), Section: corpus.SectionNotice},
	}}
	got := map[string]corpus.PassageClass{}
	for p := range (passages.Cutter{}).Cut(d) {
		got[strings.Fields(p.Text)[0]] = p.Class
	}
	for first, want := range map[string]corpus.PassageClass{"Home": corpus.ClassNavigation, strings.Fields(forty)[0]: corpus.ClassProse, "-": corpus.ClassNotice} {
		if got[first] != want {
			t.Errorf("%q is %q, want %q: %v", first, got[first], want, got)
		}
	}
}
