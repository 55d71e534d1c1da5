extension TimelinePage {
    /// The elements of the page. `{{title}}` stands for its heading.
    static let markup = #"""
        <header>
        <h1>{{title}}</h1>
        <dl id="totals" class="figures" aria-label="Totals"></dl>
        </header>
        <main>
        <section id="findings" aria-labelledby="findings-title" hidden>
        <h2 id="findings-title"></h2>
        <ol id="finding-list"></ol>
        </section>
        <div class="columns">
        <section class="panel chart" aria-labelledby="timeline-title">
        <div class="toolbar">
        <h2 id="timeline-title">Timeline</h2>
        <div id="legend" class="legend" role="group" aria-label="Rows"></div>
        <output id="range" aria-label="Visible time"></output>
        <div class="buttons" role="group" aria-label="Zoom">
        <button id="zoom-out" type="button" aria-label="Zoom out" title="Zoom out (−)">−</button>
        <button id="zoom-in" type="button" aria-label="Zoom in" title="Zoom in (+)">+</button>
        <button id="zoom-all" type="button" title="Show everything (0)">All</button>
        </div>
        </div>
        <canvas id="overview" tabindex="0" role="img" aria-label="Overview; drag to choose what the timeline shows"></canvas>
        <div id="stage">
        <canvas id="timeline" tabindex="0" role="application"></canvas>
        <p id="empty" class="faint" hidden>Nothing was recorded.</p>
        </div>
        </section>
        <aside id="details" class="panel" aria-label="Details" aria-live="polite"></aside>
        </div>
        <section class="panel" id="operations" aria-labelledby="operations-title">
        <div class="toolbar">
        <h2 id="operations-title">Operations by cost</h2>
        <input id="filter" type="search" placeholder="Filter by kind, entity, predicate or SQL" aria-label="Filter">
        </div>
        <div class="scroll">
        <table>
        <thead><tr>
        <th data-sort="title" scope="col"><button type="button">Operation</button></th>
        <th data-sort="condition" scope="col"><button type="button">Predicate or SQL</button></th>
        <th data-sort="count" scope="col" class="number"><button type="button">Count</button></th>
        <th data-sort="total" scope="col" class="number"><button type="button">Total</button></th>
        <th data-sort="mean" scope="col" class="number"><button type="button">Mean</button></th>
        <th data-sort="longest" scope="col" class="number"><button type="button">Longest</button></th>
        </tr></thead>
        <tbody id="groups"></tbody>
        </table>
        </div>
        <p id="groups-none" class="faint" hidden></p>
        <button id="groups-more" class="more" type="button" hidden></button>
        </section>
        <details class="panel" id="events-panel">
        <summary>Events in view, as a table</summary>
        <div class="toolbar">
        <span id="events-count" class="faint" aria-live="polite"></span>
        <div class="buttons" role="group" aria-label="Pages">
        <button id="events-back" type="button">Back</button>
        <button id="events-on" type="button">Next</button>
        </div>
        </div>
        <div class="scroll">
        <table>
        <thead><tr>
        <th scope="col" class="number">Start</th><th scope="col">Operation</th><th scope="col">Predicate or SQL</th>
        <th scope="col">Context</th><th scope="col" class="number">Objects</th><th scope="col" class="number">Rows</th>
        <th scope="col" class="number">Duration</th>
        </tr></thead>
        <tbody id="events"></tbody>
        </table>
        </div>
        </details>
        <noscript>The timeline needs JavaScript.</noscript>
        </main>
        <div id="tip" role="tooltip" hidden></div>
        """#
}
