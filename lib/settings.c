/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Sets the settings of lib/stream/settings.h by name, for encoder.c and decoder.c. */
#include "lib/private.h"

PacoStatus
paco_session_set (
    PacoSession *session, const char *name, const char *value, PacoError *error)
{
  PacoSettingOwner owner = session->encodes ? PACO_OF_ENCODER : PACO_OF_DECODER;
  const PacoSetting *setting;
  PacoStatus status;
  char *possible;

  if (!name || !value)
    return paco_error_set (error, PACO_STATUS_INVALID,
        "a setting has a name and a value, and one of them is NULL");
  setting = paco_setting_find (owner, name);
  if (!setting)
    return paco_error_set (error, PACO_STATUS_INVALID,
        "%s have no setting \"%.80s\"; paco.h lists those they have",
        owner == PACO_OF_ENCODER ? "encoders" : "decoders", name);
  if (setting->change < paco_session_change (session))
    return paco_error_set (error, PACO_STATUS_BUSY,
        setting->change == PACO_CHANGE_CLOSED
            ? "%s can only be set before the first frame"
            : "%s cannot change while frames are in flight; collect them",
        name);
  if (paco_setting_parse (setting, &session->settings, value))
    return paco_error_ok (error);
  possible = paco_setting_possible (setting);
  status = paco_error_set (error, PACO_STATUS_INVALID,
      "%s=%.80s is not possible: it is %s", name, value, possible);
  g_free (possible);
  return status;
}
