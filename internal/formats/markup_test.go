package formats

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

// markups are texts in markup languages, with a name or without, and what is read of them.
var markups = map[string]struct{ name, body, language, want string }{
	"AsciiDoc": {
		"a.adoc", "= Ice\n:toc: left\n\n// not said\n== Loss\n\nIt melts, says link:x.html[the book] and <<a,the page>>.\n\n[source,go]\n----\nmelt(ice)\n----\n\n* one\n** two\n. first\n\nIce:: cold water\n\n|===\n|a |b\n|===\n",
		markupASCIIDoc, "# Ice\n\n## Loss\n\nIt melts, says the book and the page.\n\n```\nmelt(ice)\n```\n\n- one\n  - two\n1. first\n\nIce:\ncold water\n\n|a |b",
	},
	"AsciiDoc with titles underlined": {
		"a.asciidoc", "Ice(1)\n======\n\nNAME\n----\nIce - it melts\n", markupASCIIDoc, "# Ice(1)\n\n## NAME\n\nIce - it melts",
	},
	"reStructuredText": {
		"a.rst", "Ice\n===\n\n.. _target:\n\nLoss\n----\n\nIt melts, says :ref:`the book <book>` and `the page <http://x>`_.\n\n.. code-block:: go\n   :linenos:\n\n   melt(ice)\n\n.. note:: Beware.\n\nAn example::\n\n  freeze()\n\n.. comment\n   not said\n\nThe end.\n",
		markupRST, "# Ice\n\n## Loss\n\nIt melts, says the book and the page.\n\n```\n\n   melt(ice)\n```\n\nNote: Beware.\n\nAn example:\n\n```\n\n  freeze()\n```\n\nThe end.",
	},
	"Org": {
		"a.org", "#+TITLE: Ice\n# not said\n* TODO Loss :cold:\n:PROPERTIES:\n:ID: 1\n:END:\nIt melts, says [[http://x][the book]].\n#+BEGIN_SRC go\nmelt(ice)\n#+END_SRC\n| a | b |\n|---+---|\n",
		markupOrg, "# Ice\n\n# Loss\n\nIt melts, says the book.\n\n```\nmelt(ice)\n```\n\n| a | b |",
	},
	"a manual page": {
		"ice.1", ".\\\" not said\n\\.\" nor this\n.de1 SH\nnot said\n..\n.TH ICE 1 2026\n.SH NAME\nice \\- it melts\n.SH OPTIONS\n.TP\n.B \\-c\nCold as \\fIice\\fR.\n.PP\nSee\n.BR water (1)\n.nf\nmelt(ice)\n.fi\n",
		markupMan, "# ICE(1)\n\n## NAME\n\nice - it melts\n\n## OPTIONS\n\n-c\n\nCold as ice.\n\nSee\nwater(1)\n\n```\nmelt(ice)\n```",
	},
	"a manual page as Asciidoctor writes it": {
		"ice.5", ".TH \"ICE\" \"5\" \"2026\" \"ice\" \"Formats\"\n.if \\n[.g] \\{\\\n.  mso www.tmac\n.  am URL\n.    ad l\n.  .\n.  LINKSTYLE blue R < >\n.\\}\n.SH \"NAME\"\nice \\- it melts\n.SH \"DESCRIPTION\"\n.sp\nCold water.\n",
		markupMan, "# ICE(5)\n\n## NAME\n\nice - it melts\n\n## DESCRIPTION\n\nCold water.",
	},
	"a manual page of BSD": {
		"", ".Dd May 1, 2026\n.Dt ICE 1\n.Os\n.Sh NAME\n.Nm ice\n.Nd it melts\n.Sh SYNOPSIS\n.Nm\n.Op Fl c Ar file\n.Sh SEE ALSO\n.Xr water 1 ,\n.Em ice\n",
		markupMan, "# ICE(1)\n\n## NAME\n\nice – it melts\n\n## SYNOPSIS\n\nice\n[-c file]\n\n## SEE ALSO\n\nwater(1),\nice",
	},
	"reStructuredText of Sphinx": {
		"a.rst", ".. versionadded:: 3.8\n   It melts.\n\n.. deprecated:: 3.9\n\n.. index::\n   single: not said\n\n.. warning::\n\n   Beware.\n\n.. seealso::\n   The book.\n\n.. image:: ice.png\n   :alt: a river of ice\n\n.. figure:: a.png\n   :width: 3\n\n   A caption.\n",
		markupRST, "New in version 3.8:\n  It melts.\n\nDeprecated since version 3.9:\n\nWarning:\n\n  Beware.\n\nSee also:\n  The book.\n\n[a river of ice]\n\n  A caption.",
	},
	"a manual page with conditions": {
		"ice.1", ".TH ICE 1\n.ie n \\{\\\n.ds X y\n'br\\}\n.el\\{\\\nnot said\n'br\\}\n.if t .B not said\n.if n .B said\n.SH NAME\n.ie n .IP \"\"\"melt\"\"\" 4\n.el .IP \"not said\" 4\nBy S\\(/oren M\\[:u]ller, \\[u00E9]\\N'65'.\n.if !t \\{\\\nIt thaws.\n.\\}\n.TS\nbox;\nl l\nr r.\nIce\tcold\nT{\nSnow\nT}\twhite\n.TE\n.URL http://ice.example \"the page\" .\n.UR http://snow.example\nSnow\n.UE ,\nEnd.\n",
		markupMan, "# ICE(1)\n\nsaid\n\n## NAME\n\n\"melt\"\n\nBy Søren Müller, éA.\nIt thaws.\n\nIce | cold\nSnow\n| white\n\nthe page <http://ice.example>.\n<http://snow.example>\nSnow\n,\nEnd.",
	},
	"TeX with commands of its own": {
		"a.tex", "\\section{Loss}\nThe ring $\\Z/n\\Z$ and $\\displaystyle\\mathbb{Q}_p$ \\unknown has $\\log n\\sin\\theta$ and is \\char`\\\"quoted\\char34{} \\char'101.\n",
		markupTeX, "## Loss\n\nThe ring Z/nZ and Q_p  has log n sin θ and is \"quoted\" A.",
	},
	"TeX": {
		"a.tex", "\\documentclass{article}\n\\title{Ice}\n\\begin{document}\n\\section{Loss} % not said\nIt \\emph{melts}~at $T \\geq \\frac{a}{b}$, says M\\\"uller\\cite{x}.\n\\begin{itemize}\n\\item one\n\\end{itemize}\n\\begin{verbatim}\nmelt{ice}\n\\end{verbatim}\n\\end{document}\n",
		markupTeX, "# Ice\n\n## Loss\n\nIt melts at T ≥ (a)/(b), says Müller.\n\n- one\n\n```\nmelt{ice}\n```",
	},
}

func TestMarkup(t *testing.T) {
	for name, c := range markups {
		format, d := readNamed(t, c.body, c.name)
		if format.Language() != c.language || d.Text != c.want || d.Markup != corpus.ContentMarkdown {
			t.Errorf("%s: got %s\n%q, want\n%q", name, format, d.Text, c.want)
		}
	}
}

func TestSubtitles(t *testing.T) {
	for name, body := range map[string]string{
		"a.srt": "1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>The ice</i>\r\n\r\n2\r\n00:00:02,500 --> 00:00:03,000\r\nmelts.\r\n\r\n3\r\n00:01:05,000 --> 00:01:06,000\r\n{\\an8}It is gone.\r\n",
		"a.vtt": "WEBVTT\n\nNOTE not said\n\n00:01.000 --> 00:02.000 align:start\nThe ice\n\n00:02.500 --> 00:03.000\nmelts.\n\n01:05.000 --> 01:06.000\n<c.red>It is gone.</c>\n",
	} {
		_, d := readNamed(t, body, name)
		if d.Text != "The ice melts.\n\nIt is gone." || !slices.Equal(d.Places, []corpus.Place{{Section: "0:00:00"}, {Start: 16, Section: "0:01:00"}}) {
			t.Errorf("%s: got %q with %+v", name, d.Text, d.Places)
		}
	}
}

// TestProseIsNoCode has texts about code, which were read as code: by their comments.
func TestProseIsNoCode(t *testing.T) {
	text := "How to melt ice\n\nThe function melt takes the ice and returns the water that it becomes after a while.\n\nimport ice\ndef melt(x):\n    return x.water()\nclass Ice:\n    pass\nif __name__ == 'x':\n    melt(1)\n"
	for _, name := range []string{"a", "a.txt", "README"} {
		if format, d := readNamed(t, text, name); format != corpus.ContentPlain || d.Text != text {
			t.Errorf("%s: got %s and %q", name, format, d.Text)
		}
	}
	if format, _ := readNamed(t, "import ice\n\ndef melt(x):\n    return x.water()\n\nclass Ice:\n    pass\n", "a"); format != corpus.SourceCode("Python") {
		t.Errorf("code is %s", format)
	}
}

func TestXML(t *testing.T) {
	for name, c := range map[string]struct{ name, body, want string }{
		"DocBook":            {"a.xml", `<?xml version="1.0"?><article><title>Ice</title><section><title>Loss</title><para>It <emphasis>melts</emphasis> at 0&nbsp;°C.</para><programlisting>melt(ice)</programlisting><itemizedlist><listitem><para>one</para></listitem></itemizedlist></section></article>`, "# Ice\n\n## Loss\n\nIt melts at 0 °C.\n\n```\nmelt(ice)\n```\n\n- one"},
		"data":               {"a", "<?xml version='1.0'?><list><glacier id='7'><name>Aletsch</name><length unit='km'>22</length></glacier></list>", "id: 7\nname: Aletsch\nunit: km\nlength: 22"},
		"Latin-1":            {"a", "<?xml version='1.0' encoding='iso-8859-1'?><article><para>caf\xe9</para></article>", "café"},
		"elements in a line": {"a.xml", `<?xml version="1.0"?><article><para>a<superscript><emphasis>hello</emphasis></superscript> b<emphasis><literal>c</literal></emphasis><footnote><para>Note.</para></footnote></para></article>`, "ahello bc\n\nNote."},
		"references": {
			"a.xml", `<?xml version="1.0"?><book><title>Ice</title><chapter id="a"><title>The <emphasis>second</emphasis></title><section><title>Inner</title><para>See <xref linkend="b"/>, <xref linkend="a"/>, <xref linkend="c"/>, <xref linkend="b" endterm="t"/> and <xref linkend="none"/>.</para></section></chapter><chapter id="b" xreflabel="the label"><title id="t">Third</title><cmdsynopsis id="c"><command>melt</command><arg>-x</arg></cmdsynopsis></chapter></book>`,
			"# Ice\n\n## The second\n\n### Inner\n\nSee the label, The second, melt, Third and .\n\n## Third\n\nmelt\n\n-x",
		},
		"a book with pictures in FB": {"a.fb2", "<FictionBook><description><title-info><genre>sf</genre><book-title>Melt</book-title></title-info><document-info><program-used>pandoc</program-used></document-info></description><body><section><p>It <image alt='a river of ice'/> melts.</p></section></body></FictionBook>", "Melt\n\nIt [a river of ice] melts."},
		"cut short":                  {"a", "<?xml version='1.0'?><article><para>It melts.</para>", "It melts."},
		"a book in FB":               {"a.fb2", "<FictionBook><body><title><p>Ice</p></title><section><p>It melts.</p></section></body><binary>AAAA</binary></FictionBook>", "# Ice\n\nIt melts."},
	} {
		format, d := readNamed(t, c.body, c.name)
		if format != corpus.ContentXML || d.Text != c.want {
			t.Errorf("%s: got %s and %q, want %q", name, format, d.Text, c.want)
		}
	}
}

// checkRead checks what every reader promises of what it made of any bytes.
func checkRead(t *testing.T, d corpus.DocumentText, err error) {
	t.Helper()
	if err != nil {
		if kappa.ErrorCode(err) != kappa.CodeMalformed && kappa.ErrorCode(err) != kappa.CodeUnsupported {
			t.Errorf("got the error %v", err)
		}
		return
	}
	last := 0
	for _, p := range d.Places {
		if p.Start < last || p.Start > len(d.Text) {
			t.Fatalf("the place %+v is behind %d, or beyond the text of %d bytes", p, last, len(d.Text))
		}
		last = p.Start
	}
	if d, err := finished(d); err == nil && !utf8.ValidString(d.Text) {
		t.Errorf("the text is not UTF-8: %q", d.Text)
	}
}

func FuzzMarkup(f *testing.F) {
	for _, c := range markups {
		f.Add(c.body, c.language)
	}
	for _, language := range []string{markupSubRip, markupWebVTT} {
		f.Add("1\n00:00:01,000 --> 00:00:02,000\nThe ice\n", language)
	}
	f.Fuzz(func(t *testing.T, body, language string) {
		if !utf8.ValidString(body) || strings.ContainsRune(body, 0) {
			return // decoded before
		}
		d, err := readMarkup(t.Context(), body, language)
		checkRead(t, d, err)
	})
}

func FuzzXML(f *testing.F) {
	for _, seed := range []string{"<a><b>c</b></a>", "<?xml version='1.0' encoding='x'?><article><title>a</title><para>b</para>", "<a>&lt;</a>", "<a><![CDATA[b]]></a>", "<book><a id='b' xreflabel='c'><title id='d'>e</title><xref linkend='b' endterm='d'/></a></book>", "<FictionBook><p>1<sup>2</sup><image alt='a b'/></p></FictionBook>", "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := readXML(t.Context(), body)
		checkRead(t, d, err)
	})
}
