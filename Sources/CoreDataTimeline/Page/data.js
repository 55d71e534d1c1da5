// What the recording holds: `data` as it was written, and a typed array for each column.
const $ = (id) => document.getElementById(id);
const state = document.documentElement.dataset;
const loadStart = performance.now();
const data = JSON.parse($("data").textContent);
$("data").remove();
const count = data.count;

function column(name, differences = false) {
    const values = new Float64Array(count), written = data.columns[name];
    if (Array.isArray(written)) {
        values.set(written);
    } else if (written) {
        let index = 0;
        written.at.forEach((step, place) => { values[index += step] = written.values[place]; });
    }
    if (differences) for (let i = 1; i < count; i++) values[i] += values[i - 1];
    return values;
}

const names = ["group", "parent", "source", "objects", "rows", "inserted", "updated", "deleted", "limit", "contextID",
    "thread", "duration", "waiting", "sql", "commit", "context", "predicate", "store", "failure", "task", "statements",
    "plan", "sort", "object", "objectKey"];
const events = { id: column("id", true), start: column("start", true) };
for (const name of names) events[name] = column(name);
const ends = events.start.map((start, i) => start + events.duration[i]);
data.columns = null;

const indexOfID = new Map();
for (let i = 0; i < count; i++) indexOfID.set(events.id[i], i);
const findings = data.findings.map((finding) => ({
    ...finding,
    events: finding.eventIDs.map((id) => indexOfID.get(id)).filter((i) => i !== undefined).sort((a, b) => a - b),
}));

// Children of an event, from its ID.
const children = new Map();
for (let i = 0; i < count; i++) {
    const parent = events.parent[i];
    if (!parent) continue;
    const list = children.get(parent);
    if (list) list.push(i); else children.set(parent, [i]);
}

const group = (i) => data.groups[events.group[i]];
const text = (number) => number ? data.texts[number - 1] : "";
const list = (number) => number ? data.lists[number - 1] : [];
const objectID = (i) => events.object[i] ? text(events.object[i]) + (events.objectKey[i] || "") : "";
const threadName = (i) => events.thread[i] ? `thread ${events.thread[i]}` : "main thread";
const subject = (group) => [group.entity, group.keyPath].filter(Boolean).join(".");
const sources = ["the store", "memory", "the parent context"];

const kindNames = {
    fetch: "Fetch", count: "Count", dictionaries: "Fetch of dictionaries", objectIDs: "Fetch of object IDs",
    batch: "Batch", prefetch: "Prefetch", fault: "Fault", relationshipFault: "Relationship fault", save: "Save",
    merge: "Merge", refresh: "Refresh", batchInsert: "Batch insert", batchUpdate: "Batch update",
    batchDelete: "Batch delete", history: "History", permanentIDs: "Permanent IDs", migration: "Migration",
    importChunk: "Import", storeOpening: "Store opening", storeClosing: "Store closing", work: "Work",
    maintenance: "Maintenance",
};
const kindName = (kind) => kindNames[kind] || kind;

// The rows of a track, and the colors.
const categories = ["save", "fetch", "fault", "miss", "other"];
const categoryNames = { save: "Saves", fetch: "Fetches", fault: "Faults", miss: "Cache misses", other: "Other" };
const categoryOfKind = {
    save: "save", fetch: "fetch", count: "fetch", dictionaries: "fetch", objectIDs: "fetch", batch: "fetch",
    prefetch: "fetch", fault: "fault", relationshipFault: "fault",
};
const categoryOfGroup = data.groups.map((group) => categories.indexOf(categoryOfKind[group.kind] || "other"));
const FAULT = categories.indexOf("fault"), MISS = categories.indexOf("miss");
// Faults that the store had to be asked for are cache misses.
const categoryOf = (i) => {
    const category = categoryOfGroup[events.group[i]];
    return category === FAULT && events.source[i] === 0 ? MISS : category;
};

// MARK: Text

function time(nanoseconds, digits = 3) {
    const size = Math.abs(nanoseconds);
    const [unit, name] = size >= 1e9 ? [1e9, "s"] : size >= 1e6 ? [1e6, "ms"] : size >= 1e3 ? [1e3, "µs"] : [1, "ns"];
    if (nanoseconds === 0) return "0";
    if (unit === 1) return `${Math.round(nanoseconds)} ns`;
    return `${Number((nanoseconds / unit).toPrecision(digits)).toLocaleString("en")} ${name}`;
}
const number = (value) => value.toLocaleString("en");
const quantity = (value, one, many = one + "s") => `${number(value)} ${value === 1 ? one : many}`;

function element(tag, properties = {}, ...content) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
        if (value === undefined || value === null) continue;
        if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
        else if (name === "class") made.className = value;
        else made.setAttribute(name, value);
    }
    made.append(...content.filter((part) => part !== null && part !== undefined && part !== ""));
    return made;
}
const fill = (target, ...parts) => target.replaceChildren(...parts.filter(Boolean));
const swatch = (category) => element("span", { class: `swatch ${categories[category]}`, "aria-hidden": "true" });
