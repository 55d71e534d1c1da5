/// `coredata_found(text, text, boolean)`: true if folded text contains another as evaluation in memory finds it, where a match
/// ends at the end of a character: `e` is not in a decomposed `é`.
package enum SearchFunction {
    package static let name = "coredata_found"

    /// The statement that creates the function or replaces it.
    package static let creation = """
        CREATE OR REPLACE FUNCTION \(name)(folded text, needle text, anywhere boolean) RETURNS boolean
        LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $function$
        -- True if a text contains another, or begins with it, and no combining mark follows.
        DECLARE
            rest text COLLATE "C" := folded;
            sought CONSTANT text COLLATE "C" := needle;
            place integer;
            next text COLLATE "C";
        BEGIN
            IF sought = '' THEN
                RETURN false;
            END IF;
            LOOP
                place := strpos(rest, sought);
                IF place = 0 OR place > 1 AND NOT anywhere THEN
                    RETURN false;
                END IF;
                next := substr(rest, place + char_length(sought), 1);
                IF octet_length(next) < 2 OR next !~ '[\(FoldingTables.marks)]' THEN
                    RETURN true;
                ELSIF NOT anywhere THEN
                    RETURN false;
                END IF;
                rest := substr(rest, place + 1);
            END LOOP;
        END
        $function$
        """
}
