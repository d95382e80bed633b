package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

func work(ctx context.Context, o options, out io.Writer) error {
	data, err := readData(ctx, o.data)
	if err != nil {
		return err
	}
	if o.write != "" {
		return train(ctx, data["en"], o.write)
	}
	learn, _ := split(data["en"])
	every := func(int) bool { return true }
	var other []float64
	var use []int
	for _, english := range []string{"en", "any"} {
		t, err := newTrial(ctx, newCorpus(learn, english))
		if err != nil {
			return err
		}
		use = t.order
		show(out, "bm25 "+english, count(t.whole, []int{0}, []float64{1}))
		h, w := crossed(t.whole, t.order, nil)
		show(out, english, h)
		if o.without {
			for k, f := range t.order {
				rest := slices.Delete(slices.Clone(t.order), k, k+1)
				var from [][]float64
				for _, one := range w {
					from = append(from, slices.Delete(slices.Clone(one), k, k+1))
				}
				l, _ := crossed(t.whole, rest, from)
				fmt.Fprintf(out, "%-20s %+.2f %+.2f   weight %.3f\n", t.names[f], 100*float64(l.first-h.first)/float64(h.questions), 100*(l.reciprocal-h.reciprocal)/float64(h.questions), w[0][k])
			}
		}
		for _, drop := range []string{"local", "covered,rarest missing,missing,exact covered", "covered,rarest missing,missing,exact covered,run,pairs about,two sentences", "covered,rarest missing,missing,exact covered,run,pairs about,two sentences,sentence,terms covered", "covered,rarest missing,missing,exact covered,run,pairs about,two sentences,names,exact pairs,bm25"} {
			rest := slices.DeleteFunc(slices.Clone(t.order), func(i int) bool { return slices.Contains(strings.Split(drop, ","), t.names[i]) })
			h, w := crossed(t.whole, rest, nil)
			show(out, "without "+drop, h)
			for k, f := range rest {
				fmt.Fprintf(out, "%s %.2f, ", t.names[f], w[0][k])
			}
			fmt.Fprintln(out)
		}
		for _, pen := range []float64{20} {
			if !quick {
				break
			}
			penalty = pen
			h, _ := crossed(t.whole, t.order, w)
			show(out, fmt.Sprint("penalty ", pen), h)
		}
		penalty = 5
		if quick {
			other = learnOrder(examples(t.whole, every), t.order, penalty, nil)
			continue
		}
		var all [2][]judged
		for fold := range folds {
			a := t.learnAnswer(w[fold], func(a int) bool { return a%folds != fold })
			for i, j := range t.judge(w[fold], a, func(a int) bool { return a%folds == fold }) {
				all[i] = append(all[i], j...)
			}
			if fold == 0 && o.without {
				for k, f := range t.all {
					fmt.Fprintf(out, "   %s %.3f\n", t.names[f], a.weights[k])
				}
			}
		}
		both := slices.Concat(all[0], all[1])
		for _, x := range []struct {
			n string
			j []judged
		}{{"whole", all[0]}, {"single", all[1]}, {"both", both}} {
			r, th := refused(x.j, .95)
			_, tb := refused(both, .95)
			k, n := at(x.j, .5)
			k2, n2 := at(x.j, tb)
			fmt.Fprintf(out, "%-8s auc %.4f at .95 kept refused %.4f (%.3f); at .5 kept %.4f refused %.4f; at both's %.3f kept %.4f refused %.4f\n", x.n, area(slices.Clone(x.j)), r, th, k, n, tb, k2, n2)
		}
		other = learnOrder(examples(t.whole, every), t.order, penalty, nil)
	}
	for _, l := range []string{"es", "de", "zh"} {
		c := newCorpus(data[l], l)
		v, err := c.library(every)
		if err != nil {
			return err
		}
		samples, err := ask(ctx, plain(), v, false, c.questions)
		if err != nil {
			return err
		}
		show(out, l+" bm25", count(samples, []int{0}, []float64{1}))
		show(out, l, count(samples, use, other))
	}
	return nil
}

func show(out io.Writer, name string, h hits) {
	n := float64(h.questions)
	fmt.Fprintf(out, "%-12s %.4f %.4f %.4f   recall %.4f\n", name, float64(h.first)/n, float64(h.three)/n, h.reciprocal/n, float64(h.candidates)/n)
}
