extension TimelinePage {
    /// The colors and the layout of the page.
    static let style = #"""
        :root {
            color-scheme: light dark;
            --page: #f5f6f8; --panel: #ffffff; --band: #f6f7f9; --text: #1b1f27; --faint: #68707f; --line: #e3e6eb;
            --accent: #1f6feb; --alarm: #cf3c4f; --alarm-soft: #fdf1f2;
            --save: #1d9a6c; --fetch: #3a7de0; --fault: #8a6bd1; --miss: #e07b1a; --other: #8791a3;
            --shadow: 0 1px 2px rgb(20 25 40 / 6%), 0 4px 16px rgb(20 25 40 / 5%);
        }
        @media (prefers-color-scheme: dark) {
            :root {
                --page: #111318; --panel: #191c23; --band: #1f232b; --text: #e8eaf0; --faint: #98a1b1; --line: #2b303a;
                --accent: #6ea8ff; --alarm: #ff7484; --alarm-soft: #2a1c21;
                --save: #45c795; --fetch: #6ba4f8; --fault: #b19af0; --miss: #f7a04b; --other: #8f9aae;
                --shadow: 0 1px 2px rgb(0 0 0 / 40%);
            }
        }
        * { box-sizing: border-box; }
        [hidden] { display: none !important; }
        body {
            margin: 0; background: var(--page); color: var(--text);
            font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
        }
        header, main { max-width: 1760px; margin: 0 auto; padding: 0 20px; }
        header { padding-top: 18px; }
        main { padding-bottom: 40px; display: grid; grid-template-columns: minmax(0, 1fr); gap: 14px; }
        h1 { font-size: 20px; letter-spacing: -0.01em; margin: 0 0 12px; }
        h2 { font-size: 14px; margin: 0; display: flex; align-items: center; gap: 8px; }
        h3 { font-size: 12px; margin: 16px 0 6px; color: var(--faint); font-weight: 600; }
        p { margin: 0; }
        button, input { font: inherit; color: inherit; }
        button { cursor: pointer; background: none; border: 0; padding: 0; text-align: left; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; border-radius: 4px; }
        code, pre { font: 12px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
        .faint { color: var(--faint); }
        .alarm { color: var(--alarm); }
        .panel { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; box-shadow: var(--shadow); }
        .swatch { display: inline-block; width: 9px; height: 9px; border-radius: 2.5px; flex: none; background: var(--other); }
        .swatch.save { background: var(--save); } .swatch.fetch { background: var(--fetch); }
        .swatch.fault { background: var(--fault); } .swatch.miss { background: var(--miss); }

        .figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(128px, 1fr)); gap: 1px; margin: 0 0 14px;
            background: var(--panel); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; box-shadow: var(--shadow); }
        .figure { padding: 10px 14px; box-shadow: 0 0 0 1px var(--line); }
        .figure dt { font-size: 12px; color: var(--faint); }
        .figure dd { margin: 0; font-size: 20px; font-weight: 600; font-variant-numeric: tabular-nums; letter-spacing: -0.01em; }
        .figure small { display: block; font-size: 11.5px; font-weight: 400; color: var(--faint); letter-spacing: 0; }

        #findings ol { list-style: none; margin: 8px 0 0; padding: 0; display: grid; gap: 6px; max-height: 236px; overflow: auto; }
        .finding { width: 100%; display: flex; gap: 12px; align-items: flex-start; padding: 9px 14px 9px 11px; border-radius: 8px;
            background: var(--panel); border: 1px solid var(--line); border-left: 3px solid var(--alarm); }
        .finding:hover, .finding[aria-pressed="true"] { background: var(--alarm-soft); border-color: var(--alarm); }
        .flag { flex: none; min-width: 19px; height: 19px; padding: 0 5px; border-radius: 5px; background: var(--alarm);
            color: var(--panel); font-size: 11px; font-weight: 700; display: inline-grid; place-items: center; }
        .finding .body { flex: 1; min-width: 0; display: grid; }
        .message { font-weight: 600; overflow-wrap: anywhere; }
        .remedy { color: var(--faint); overflow-wrap: anywhere; }
        .finding .side { flex: none; display: grid; justify-items: end; font-size: 12.5px; font-variant-numeric: tabular-nums; }
        .place { font: 12px ui-monospace, Menlo, Consolas, monospace; color: var(--accent); }

        .columns { display: grid; grid-template-columns: minmax(0, 1fr) 340px; gap: 14px; align-items: start; }
        .chart { padding: 0 12px 10px; min-width: 0; }
        .toolbar { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; padding: 10px 0; }
        #operations .toolbar, #events-panel .toolbar { padding: 10px 14px; }
        .legend { display: flex; flex-wrap: wrap; gap: 4px; flex: 1 1 340px; }
        .toggle { display: inline-flex; align-items: center; gap: 6px; padding: 2px 9px; border-radius: 99px; font-size: 12.5px;
            border: 1px solid var(--line); }
        .toggle:hover { background: var(--band); }
        .toggle[aria-pressed="false"] { color: var(--faint); text-decoration: line-through; }
        .toggle[aria-pressed="false"] .swatch { opacity: 0.25; }
        #range { color: var(--faint); font-size: 12.5px; font-variant-numeric: tabular-nums; }
        .buttons { display: inline-flex; border: 1px solid var(--line); border-radius: 7px; overflow: hidden; }
        .buttons button { padding: 2px 11px; min-width: 32px; text-align: center; }
        .buttons button + button { border-left: 1px solid var(--line); }
        .buttons button:hover:enabled { background: var(--band); }
        button:disabled { opacity: 0.4; cursor: default; }
        canvas { display: block; width: 100%; border-radius: 6px; }
        #overview { background: var(--band); margin-bottom: 8px; cursor: col-resize; touch-action: none; }
        #stage { position: relative; max-height: max(360px, 58vh); overflow: hidden auto; }
        #timeline { touch-action: none; }
        #empty { padding: 0 0 24px; text-align: center; }

        #details { padding: 12px 14px 16px; position: sticky; top: 10px; max-height: calc(100vh - 20px); overflow: auto;
            align-self: stretch; }
        #details h2 { overflow-wrap: anywhere; }
        #details .message { margin-top: 8px; }
        #details .remedy { margin-top: 4px; }
        .actions { display: flex; gap: 6px; margin: 10px 0; }
        .actions button { border: 1px solid var(--line); border-radius: 6px; padding: 2px 10px; font-size: 12.5px; }
        .actions button:hover { background: var(--band); }
        #details dl { display: grid; grid-template-columns: max-content 1fr; gap: 3px 14px; margin: 10px 0 0; font-size: 13px; }
        #details dt { color: var(--faint); }
        #details dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
        pre { margin: 0 0 6px; padding: 8px 10px; background: var(--band); border-radius: 6px; white-space: pre-wrap;
            overflow-wrap: anywhere; max-height: 320px; overflow: auto; }
        .badge { float: right; margin-left: 8px; padding: 0 6px; border-radius: 4px; background: var(--line); }
        .events { display: grid; max-height: 300px; overflow: auto; margin: 0 -6px; }
        .event { display: flex; align-items: center; gap: 8px; padding: 3px 6px; border-radius: 5px; font-size: 13px; }
        .event:hover { background: var(--band); }
        .event .what { flex: 1; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        .event .cost { color: var(--faint); font-variant-numeric: tabular-nums; }
        .link { display: block; margin-top: 12px; color: var(--alarm); font-size: 13px; }
        .link:hover { text-decoration: underline; }

        #filter { flex: 1; max-width: 420px; margin-left: auto; padding: 5px 10px; border: 1px solid var(--line);
            border-radius: 7px; background: var(--page); }
        .scroll { overflow-x: auto; }
        table { width: 100%; border-collapse: collapse; font-size: 13px; }
        th { text-align: left; font-weight: 600; font-size: 12px; color: var(--faint); padding: 4px 14px;
            border-bottom: 1px solid var(--line); white-space: nowrap; }
        th button { font-weight: 600; }
        th[aria-sort="descending"] button::after { content: " ↓"; }
        th[aria-sort="ascending"] button::after { content: " ↑"; }
        th[aria-sort]:not([aria-sort="none"]) { color: var(--text); }
        td { padding: 4px 14px; border-bottom: 1px solid var(--line); vertical-align: middle; }
        tbody tr:last-child td { border-bottom: 0; }
        tbody tr:hover { background: var(--band); }
        .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        .operation { display: inline-flex; align-items: center; gap: 8px; white-space: nowrap; font-weight: 500; }
        .operation:hover { text-decoration: underline; }
        .condition { max-width: 0; width: 45%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--faint); }
        .bar { position: relative; min-width: 120px; }
        .bar .fill { position: absolute; inset: 5px auto 5px 6px; max-width: calc(100% - 12px); border-radius: 3px;
            background: color-mix(in srgb, var(--accent) 18%, transparent); }
        .bar span:last-child { position: relative; }
        #groups-none { padding: 14px; }
        .more { width: 100%; padding: 8px; text-align: center; color: var(--accent); border-top: 1px solid var(--line); }
        summary { padding: 10px 14px; font-weight: 600; cursor: pointer; }

        #tip { position: fixed; z-index: 10; max-width: min(460px, 90vw); padding: 8px 11px; pointer-events: none; font-size: 12.5px;
            background: var(--panel); border: 1px solid var(--line); border-radius: 8px; box-shadow: 0 6px 24px rgb(0 0 0 / 20%);
            display: grid; gap: 2px; }
        #tip strong { display: flex; align-items: center; gap: 7px; }
        #tip div { display: grid; grid-template-columns: 74px 1fr; overflow-wrap: anywhere; }
        #tip .name { color: var(--faint); }
        #tip code { margin-top: 4px; overflow-wrap: anywhere; color: var(--faint); }
        @media (max-width: 980px) {
            .columns { grid-template-columns: minmax(0, 1fr); }
            #details { position: static; max-height: none; }
        }
        @media (prefers-reduced-motion: no-preference) { .finding, .toggle, .event { transition: background 0.12s; } }
        """#
}
