// Where things are placed that would lie on each other, or that are too long. Nothing here needs a page.

// Places for markers of one size whose own places are `wanted`, in the same order. Where several want one place they stand side by
// side; where they would run over the end all of them move to the beginning, and overlap evenly if they are too many.
function placeMarkers(wanted, size, gap, low, high) {
    const order = wanted.map((_, number) => number).sort((a, b) => wanted[a] - wanted[b] || a - b);
    const step = Math.min(size + gap, (high - low - size) / Math.max(1, order.length - 1));
    const places = new Array(wanted.length);
    let least = low;
    for (const number of order) {
        places[number] = Math.max(wanted[number], least);
        least = places[number] + step;
    }
    let most = high - size;
    for (const number of order.reverse()) {
        places[number] = Math.max(low, Math.min(places[number], most));
        most = places[number] - step;
    }
    return places;
}

// Text that takes no more room than there is, by `measure`: with an ellipsis for what does not fit. The last characters, in
// which names differ, stay, and a number in parentheses as a whole.
function shortened(text, room, measure) {
    if (measure(text) <= room) return text;
    const characters = Array.from(text), number = text.match(/ \(\d+\)$/);
    const rest = number ? number[0].length : Math.min(6, characters.length >> 2);
    const end = rest ? characters.slice(-rest).join("") : "";
    const trial = (count) => characters.slice(0, count).join("").trimEnd() + "…" + end.trimStart();
    let low = 0, high = characters.length - rest;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (measure(trial(middle)) <= room) low = middle; else high = middle - 1;
    }
    return trial(low);
}

// Text in one line or, between words, in two that take no more room than there is.
function wrapped(text, room, measure) {
    if (measure(text) <= room) return [text];
    const words = text.split(" ");
    let count = words.length - 1;
    while (count > 0 && measure(words.slice(0, count).join(" ")) > room) count--;
    if (!count) return [shortened(text, room, measure)];
    return [words.slice(0, count).join(" "), shortened(words.slice(count).join(" "), room, measure)];
}
