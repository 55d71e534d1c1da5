/// `coredata_decimal(numeric)`: the result of a computation with decimals, if it is one of evaluation in memory too.
package enum DecimalFunction {
    package static let name = "coredata_decimal"

    /// The statement that creates the function or replaces it.
    package static let creation = """
        CREATE OR REPLACE FUNCTION \(name)(result numeric) RETURNS numeric
        LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $function$
        -- Returns nil for NaN, and refuses results that evaluation in memory would round.
        BEGIN
            IF result = 'NaN' THEN
                RETURN NULL;
            ELSIF abs(result) >= 1e127 OR scale(result) > 127
                OR char_length(trim('0' FROM translate(result::text, '-.', ''))) > 38 THEN
                RAISE numeric_value_out_of_range USING MESSAGE = 'a decimal has more than 38 digits';
            END IF;
            RETURN result;
        END
        $function$
        """
}
