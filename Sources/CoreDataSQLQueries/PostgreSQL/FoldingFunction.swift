/// `coredata_fold(text, integer)`, the database's equal of `StringFolding`.
///
/// Its tables are generated from `StringFolding`, so the results do not depend on collations or Unicode tables of the server.
/// It requires a database with the encoding UTF8, and the language PL/pgSQL, which databases have by default.
package enum FoldingFunction {
    package static let name = "coredata_fold"

    /// The statement that creates the function or replaces it, in ASCII.
    package static let creation: String = {
        let tables = FoldingTables.shared
        return """
            CREATE OR REPLACE FUNCTION \(name)(original text, options integer) RETURNS text
            LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $function$
            -- Removes differences in case (options 1), diacritics (2) or both (3), as evaluation in memory does.
            DECLARE
                ignores_case CONSTANT boolean := options & 1 = 1;
                ignores_diacritics CONSTANT boolean := options & 2 = 2;
                folded text COLLATE "C" := original;
                remaining text COLLATE "C";
                scalar text COLLATE "C";
                parts text COLLATE "C";
                part text COLLATE "C";
                replacement text COLLATE "C";
                code integer;
                sorts boolean;
            BEGIN
                IF octet_length(folded) = char_length(folded) THEN
                    RETURN CASE WHEN ignores_case THEN lower(folded) ELSE folded END;
                ELSIF options & 3 = 0 THEN
                    RETURN folded;
                END IF;
                -- Consecutive marks may be in different orders.
                sorts := NOT ignores_diacritics AND folded ~ '[\(FoldingTables.marks)]{2}';
                LOOP
            \(tables.chains.map(firstReplacement).joined())\
                    -- Replace each different character beyond ASCII.
                    remaining := regexp_replace(folded, '[\\u0001-\\u007F]+', '', 'g');
                    WHILE remaining <> '' LOOP
                        scalar := left(remaining, 1);
                        remaining := replace(remaining, scalar, '');
                        code := ascii(scalar) - \(hangul);
                        IF code BETWEEN 0 AND 11171 THEN
                            replacement := chr(4352 + code / 588) || chr(4449 + code % 588 / 28)
                                || CASE WHEN code % 28 > 0 THEN chr(4519 + code % 28) ELSE '' END;
                        ELSE
                            parts := coalesce(\(literal(tables.decompositions)) ->> scalar, scalar);
                            IF ignores_diacritics THEN
                                parts := regexp_replace(parts, '[\(tables.diacritics)]', '', 'g');
                            END IF;
                            replacement := parts;
                            IF ignores_case AND NOT sorts THEN
                                replacement := '';
                                FOREACH part IN ARRAY string_to_array(parts, NULL) LOOP
                                    replacement := replacement || coalesce(\(literal(tables.cases)) ->> part, part);
                                END LOOP;
                            END IF;
                        END IF;
                        folded := replace(folded, scalar, replacement);
                    END LOOP;
                    EXIT WHEN NOT sorts;
                    sorts := false;
                    -- Marks after a base are sorted by their classes.
                    SELECT string_agg(c, '' ORDER BY base, class, n) INTO folded
                    FROM (
                        SELECT c, n, class, count(*) FILTER (WHERE class = 0) OVER (ORDER BY n) AS base
                        FROM (
                            SELECT c, n, coalesce((\(literal(tables.classes)) ->> c)::integer, 0) AS class
                            FROM string_to_table(folded, NULL) WITH ORDINALITY AS scalars(c, n)
                        ) AS classes
                    ) AS bases;
                END LOOP;
                RETURN CASE WHEN ignores_case THEN lower(folded) ELSE folded END;
            END
            $function$
            """
    }()

    /// The first Hangul syllable. Unicode defines the decompositions by arithmetic.
    private static let hangul = 0xAC00

    /// Returns the part that replaces a scalar which others fold to, but which itself folds to something else.
    private static func firstReplacement(_ scalar: String, _ replacement: String) -> String {
        """
                IF ignores_case AND NOT sorts THEN
                    folded := replace(folded, U&'\(escaped(scalar, "\\"))', U&'\(escaped(replacement, "\\"))');
                END IF;

        """
    }

    // MARK: Literals

    /// Returns a table as a literal of the type `jsonb`, which the database searches by halves.
    private static func literal(_ table: [(key: Unicode.Scalar, value: String)]) -> String {
        var lines = [""]
        for (key, value) in table {
            let entry = "\"\(escaped(String(key), "\\u"))\":\"\(escaped(value, "\\u"))\","
            if lines[lines.count - 1].utf8.count + entry.utf8.count > 118 { lines.append("") }
            lines[lines.count - 1] += entry
        }
        return "'{\n\(lines.joined(separator: "\n").dropLast())\n}'::jsonb"
    }

    private static let plainBytes = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// Returns a text with UTF-16 code units as escapes, except letters and digits of ASCII.
    private static func escaped(_ text: String, _ escape: String) -> String {
        text.utf16.map { unit in
            if let byte = UInt8(exactly: unit), Self.plainBytes.contains(byte) { return String(Unicode.Scalar(byte)) }
            let digits = String(unit, radix: 16)
            return escape + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}
