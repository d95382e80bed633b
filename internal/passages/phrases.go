package passages

import "strings"

// The words by which passages are known that stand around the main text. They are in lower
// case, and so particular that prose about the matter has them seldom.
var (
	licencePhrases = []string{
		"permission is hereby granted, free of charge", "the software is provided \"as is\"", "the software is provided “as is”", "this software is provided by the copyright holders",
		"redistribution and use in source and binary forms", "redistributions of source code must retain", "redistributions in binary form must reproduce",
		"copyright notice and this permission notice", "without even the implied warranty of", "received a copy of the gnu", "you can redistribute it and/or modify",
		"licensed under the apache license, version 2.0", "you may not use this file except in compliance", "in no event shall the authors", "in no event shall the copyright",
		"spdx-license-identifier", "is hereby granted a perpetual, worldwide", "used to endorse or promote products derived",
	}
	noticePhrases = []string{
		"all rights reserved", "alle rechte vorbehalten", "todos los derechos reservados", "tous droits réservés", "tutti i diritti riservati", "版权所有", "无断转载", "無断転載",
		"subscribe to our newsletter", "sign up for our newsletter", "abonnieren sie unseren newsletter", "please enable javascript", "your browser does not support",
		"log in to your account", "share on facebook", "share on twitter", "this email and any attachments", "this e-mail and any attachments", "unsubscribe from this list",
	}
	contentsHeadings = headingSet("contents|table of contents|on this page|in this article|toc|index|menu|function and concept index|concept index|function index|command index|option index|variable index|general index|key index|keyword index|name index|subject index|symbol index|program index|stichwortverzeichnis|sachregister|inhalt|inhaltsverzeichnis|índice|contenido|contenidos|sommaire|table des matières|indice|sommario|inhoud|содержание|оглавление|目录|目錄|目次|المحتويات|विषय सूची|สารบัญ")
	// "Notes" is not among them: release notes and remarks are called so too.
	referenceHeadings = headingSet("references|bibliography|works cited|literature cited|further reading|external links|see also|literatur|literaturverzeichnis|einzelnachweise|quellen|weblinks|referencias|bibliografía|enlaces externos|véase también|références|bibliographie|liens externes|voir aussi|bibliografia|collegamenti esterni|примечания|литература|ссылки|参考文献|參考文獻|外部链接|外部リンク|関連項目|脚注|المراجع|مراجع|सन्दर्भ|संदर्भ|อ้างอิง")
)

func headingSet(list string) map[string]bool {
	set := map[string]bool{}
	for heading := range strings.SplitSeq(list, "|") {
		set[heading] = true
	}
	return set
}
